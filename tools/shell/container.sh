# Run by tools/fresh in namespaces of its own: joins the folders of this machine into another root, and runs a command there.
#
#   unshare ... bash tools/shell/container.sh MACHINE FOLDER COMMAND SOURCE:TARGET...
#
# MACHINE is the root, FOLDER where in it the shell command runs as a user who has just logged in. Sources that end in a slash
# are joined read-only.
set -euo pipefail
machine=$1 folder=$2 command=$3
shift 3

mount -t proc proc "$machine/proc"
mount --rbind /dev "$machine/dev"
mount --rbind /sys "$machine/sys"
for pair in "$@"; do
  source=${pair%:*} target=$machine/${pair##*:}
  mount --bind "$source" "$target"
  [[ $source != */ ]] || mount -o remount,ro,bind "$target"
done

# How the network is reached belongs to the machine; everything else of its environment stays outside.
mapfile -t proxies < <(env | grep -i '^\(http\|https\|no\|all\)_proxy=')
exec chroot "$machine" env -i "${proxies[@]}" HOME=/root TERM=dumb LANG=C.UTF-8 \
  PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  bash -c 'cd "$1" && eval "$2"' bash "$folder" "$command"
