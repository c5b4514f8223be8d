# zsh -f ask_zsh.zsh FUNCTIONS LINE: types LINE and a tab into an interactive zsh that has the folder FUNCTIONS in its fpath, and
# prints what the line is then. The pseudo-terminal is read up to a mark, so nothing waits for time.
zmodload zsh/zpty
zpty inner 'TERM=dumb zsh -f -i'
zpty -w inner "fpath=(${(qq)1} \$fpath); autoload -Uz compinit; compinit -u -D; \
show() { print -r -- \"<\$BUFFER>\" }; zle -N show; bindkey '^T' show; print rea''dy"
zpty -r inner said '*ready*'
zpty -w -n inner "$2"$'\t\C-t'
zpty -r inner said '*<'"${2%% *}"' *>*'
zpty -d inner
print -r -- "${${said##*<}%%>*}"
