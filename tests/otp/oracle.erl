%% Lets the supervisor of Erlang/OTP live through the traces of a file, and writes what it does, a line each.
%%
%%   erl -noshell -pa FOLDER -run oracle main TRACES_FILE LOG_FILE
%%
%% Children are processes that do as they are told: a table says how many starts of each fail, and which sibling ends
%% while one starts or stops. Time is moved by making the restarts that a supervisor remembers older. As it counts whole
%% seconds of the real clock, a trace during which that second changes is run again.
-module(oracle).
-behaviour(supervisor).
-export([main/1, init/1, start_worker/3, start_instance/4, start_supervisor/3]).

-define(LANES, 4).

main([TracesFile, LogFile]) ->
    ok = logger:set_primary_config(level, none),
    {ok, Traces} = file:open(TracesFile, [read, raw, binary, {read_ahead, 1 bsl 20}]),
    {ok, Log} = file:open(LogFile, [write, raw, {delayed_write, 1 bsl 20, 1000}]),
    lanes(Traces, Log, queue:new()),
    ok = file:close(Log),
    halt(0).

%% A few traces at a time, each in a process of its own; their logs are written in the order of the file.
lanes(Traces, Log, Running) ->
    case queue:len(Running) < ?LANES andalso file:read_line(Traces) of
        {ok, Line} ->
            lanes(Traces, Log, queue:in(spawn_monitor(fun() -> exit({log, life(Line)}) end), Running));
        _ ->
            case queue:out(Running) of
                {empty, _} -> ok;
                {{value, {Pid, Monitor}}, Rest} ->
                    receive
                        {'DOWN', Monitor, process, Pid, {log, Text}} -> ok = file:write(Log, Text);
                        {'DOWN', Monitor, process, Pid, Other} ->
                            io:format(standard_error, "oracle: a trace ended with ~p~n", [Other]),
                            halt(1)
                    end,
                    lanes(Traces, Log, Rest)
            end
    end.

life(Line) ->
    {ok, Tokens, _} = erl_scan:string(binary_to_list(Line)),
    {ok, Trace} = erl_parse:parse_term(Tokens),
    process_flag(trap_exit, true),
    within_one_second(Trace).

within_one_second(Trace) ->
    Second = erlang:monotonic_time(1),
    Log = live(Trace),
    case erlang:monotonic_time(1) of
        Second -> Log;
        _ -> within_one_second(Trace)
    end.

%% The table of a trace has these keys: {pid, Address} of workers, {supervisor, Address}, {worker, Pid} of all that ever
%% were, {ready, Pid} of supervisors, {simple, Address}, {fail, Address}, {on_start, Address}, {on_stop, Address}, and the
%% log as {line, Number}.
live({trace, Number, Tree, Before, Steps}) ->
    Table = ets:new(trace, [public, ordered_set]),
    ets:insert(Table, {lines, 0}),
    say(Table, ["trace ", integer_to_list(Number)]),
    [prepare(Table, Step) || Step <- Before],
    case start_supervisor(Table, <<>>, Tree) of
        {ok, Root} ->
            close_step(Table, Root, []),
            live(Table, Root, Steps);
        {error, _} ->
            say(Table, "end start_failed")
    end,
    flush_exits(),
    Log = [[Line, $\n] || [Line] <- ets:match(Table, {{line, '_'}, '$1'})],
    ets:delete(Table),
    iolist_to_binary(Log).

live(Table, Root, Steps) ->
    case {is_process_alive(Root), Steps} of
        {false, _} -> ok;
        {true, []} ->
            exit(Root, shutdown),
            receive {'EXIT', Root, _} = Exit -> self() ! Exit end,
            close_step(Table, Root, []);
        {true, [Step | Rest]} ->
            close_step(Table, Root, take(Table, Root, Step)),
            live(Table, Root, Rest)
    end.

flush_exits() ->
    receive {'EXIT', _, _} -> flush_exits() after 0 -> ok end.

say(Table, Text) ->
    ets:insert(Table, {{line, ets:update_counter(Table, lines, 1)}, iolist_to_binary(Text)}).

%% Steps --------------------------------------------------------------------------------------------------------------
%% Each answers with the requests it has made, whose answers are still to come.

take(Table, _Root, {crash, Address, How}) ->
    crash(Table, Address, How),
    [];
take(Table, Root, {pass, Seconds}) ->
    [age(Supervisor, Seconds) || Supervisor <- supervisors(Table, Root)],
    [];
take(Table, _Root, {ask, _, _, _} = Ask) ->
    [ask(Table, Ask)];
take(Table, _Root, {burst, Address, Items}) ->
    case supervisor_pid(Table, Address) of
        none -> lists:append([put_in(Table, none, Item) || Item <- Items, element(1, Item) =/= crash]);
        Supervisor ->
            true = erlang:suspend_process(Supervisor),
            Asked = lists:append([put_in(Table, Supervisor, Item) || Item <- Items]),
            true = erlang:resume_process(Supervisor),
            Asked
    end;
take(Table, _Root, Preparation) ->
    prepare(Table, Preparation),
    [].

prepare(Table, {fail, Address, Count}) -> ets:insert(Table, {{fail, Address}, Count});
prepare(Table, {When, Address, Victim, How}) -> ets:insert(Table, {{When, Address}, Victim, How}).

put_in(Table, _Supervisor, {ask, _, _, _} = Ask) -> [ask(Table, Ask)];
put_in(Table, Supervisor, {crash, Address, How}) ->
    crash_under(Table, Supervisor, Address, How),
    [];
put_in(Table, _Supervisor, Preparation) ->
    prepare(Table, Preparation),
    [].

%% The request as a message, so that many can wait in one inbox.
ask(Table, {ask, Address, Verb, What}) ->
    case {supervisor_pid(Table, Address), Verb, known_pid(Table, {pid, below(Address, What)})} of
        {none, stop_instance, _} -> {answered, "ok"};
        {none, _, _} -> {answered, "not_found"};
        {_, stop_instance, none} -> {answered, "ok"};
        {Supervisor, _, Known} ->
            Monitor = monitor(process, Supervisor),
            Tag = make_ref(),
            Supervisor ! {'$gen_call', {self(), Tag}, request(Table, Address, Verb, What, Known)},
            {asked, Verb, Tag, Monitor}
    end.

request(Table, Address, add_child, Child, _) -> {start_child, spec(Table, Address, Child)};
request(Table, Address, add_instance, Id, _) -> {start_child, [Table, below(Address, Id)]};
request(_, _, stop_instance, _, Pid) -> {terminate_child, Pid};
request(_, _, stop_one, Id, _) -> {terminate_child, Id};
request(_, _, restart_one, Id, _) -> {restart_child, Id};
request(_, _, remove_one, Id, _) -> {delete_child, Id}.

answer({answered, Text}) -> Text;
answer({asked, Verb, Tag, Monitor}) ->
    receive
        {Tag, Reply} ->
            demonitor(Monitor, [flush]),
            word(Verb, Reply);
        {'DOWN', Monitor, process, _, _} -> receive {Tag, Reply} -> word(Verb, Reply) after 0 -> "cancelled" end
    end.

word(_, ok) -> "ok";
word(_, {ok, _}) -> "ok";
word(restart_one, {error, running}) -> "already_exists";
word(remove_one, {error, running}) -> "busy";
word(_, {error, restarting}) -> "busy";
word(_, {error, not_found}) -> "not_found";
word(_, {error, already_present}) -> "already_exists";
word(_, {error, {already_started, _}}) -> "already_exists";
word(_, {error, simple_one_for_one}) -> "rejected";
word(_, {error, scripted}) -> "start_failed";
word(_, {error, {scripted, _}}) -> "start_failed";
word(_, {error, {shutdown, {failed_to_start_child, _, _}}}) -> "start_failed".

%% Restarts are the eighth element of a supervisor's state. The check is that the seventh is the period it was given.
age(Supervisor, Seconds) ->
    sys:replace_state(Supervisor, fun(State) ->
        true = is_integer(element(7, State)) andalso is_list(element(8, State)),
        setelement(8, State, [Second - Seconds || Second <- element(8, State)])
    end).

%% After a step -------------------------------------------------------------------------------------------------------

close_step(Table, Root, Asked) ->
    wait_until_quiet(Table, Root),
    [say(Table, ["answer ", answer(One)]) || One <- Asked],
    receive
        {'EXIT', Root, Reason} -> say(Table, ["end ", atom_to_list(Reason)])
    after 0 ->
        say(Table, ["tree", tree(Table, Root, <<>>)])
    end.

%% Quiet is a tree in which no child waits for a restart, none is dead, and nothing lives that is not in it.
wait_until_quiet(Table, Root) ->
    case is_process_alive(Root) andalso catch living(Root) of
        false ->
            receive {'EXIT', Root, _} = Exit -> self() ! Exit end,
            Alive = workers(Table),
            Alive =:= [] orelse wait_until_quiet(Table, Root);
        Living when is_list(Living) ->
            lists:sort(workers(Table)) =:= lists:sort(Living) orelse again(Table, Root);
        _ -> again(Table, Root)
    end.

again(Table, Root) ->
    erlang:yield(),
    wait_until_quiet(Table, Root).

workers(Table) ->
    [Pid || [Pid] <- ets:match(Table, {{worker, '$1'}}), is_process_alive(Pid)].

%% The workers of a tree; throws when something is under way.
living(Supervisor) ->
    lists:append([living_child(Child) || Child <- supervisor:which_children(Supervisor)]).

living_child({_, restarting, _, _}) -> throw(restarting);
living_child({_, undefined, _, _}) -> [];
living_child({_, Pid, Type, _}) ->
    is_process_alive(Pid) orelse throw(dead),
    case Type of
        supervisor -> living(Pid);
        worker -> [Pid]
    end.

supervisors(Table, Supervisor) ->
    [Supervisor | lists:append([supervisors(Table, Pid)
                                || {_, Pid, supervisor, _} <- supervisor:which_children(Supervisor), is_pid(Pid)])].

tree(Table, Supervisor, Address) ->
    Rows = [row(Table, Address, Child) || Child <- supervisor:which_children(Supervisor)],
    Ordered = case ets:lookup(Table, {simple, Address}) of
        [_] -> lists:sort(Rows);
        [] -> lists:reverse(Rows)
    end,
    ["[", lists:join(" ", Ordered), "]"].

row(Table, _Address, {undefined, Pid, worker, _}) ->
    [Address] = [One || [One] <- ets:match(Table, {{pid, '$1'}, Pid})],
    <<Address/binary, "+">>;
row(_Table, Parent, {Id, undefined, _, _}) -> [below(Parent, Id), "-"];
row(_Table, Parent, {Id, _, worker, _}) -> [below(Parent, Id), "+"];
row(Table, Parent, {Id, Pid, supervisor, _}) ->
    Address = below(Parent, Id),
    [Address, "+", tree(Table, Pid, Address)].

%% Addresses ----------------------------------------------------------------------------------------------------------

below(_, Id) when not is_binary(Id) -> none;
below(<<>>, Id) -> Id;
below(Parent, Id) -> <<Parent/binary, "/", Id/binary>>.

known_pid(Table, Key) ->
    case ets:lookup(Table, Key) of
        [{_, Pid}] -> Pid;
        [] -> none
    end.

pid(Table, Address) -> living_pid(Table, {pid, Address}).
supervisor_pid(Table, Address) -> living_pid(Table, {supervisor, Address}).

living_pid(Table, Key) ->
    case known_pid(Table, Key) of
        none -> none;
        Pid ->
            case is_process_alive(Pid) of
                true -> Pid;
                false -> none
            end
    end.

%% Ends -------------------------------------------------------------------------------------------------------------

crash(Table, Address, How) ->
    case pid(Table, Address) of
        none -> none;
        Pid ->
            Monitor = monitor(process, Pid),
            case How of
                kill -> exit(Pid, kill);
                _ -> Pid ! {crash, How}
            end,
            receive {'DOWN', Monitor, process, Pid, _} -> Pid end
    end.

%% The same, and then the news is in the supervisor's inbox.
crash_under(Table, Supervisor, Address, How) ->
    {links, Links} = process_info(Supervisor, links),
    Pid = pid(Table, Address),
    case lists:member(Pid, Links) of
        true ->
            Pid = crash(Table, Address, How),
            wait_for_exit(Supervisor, Pid);
        false -> ok
    end.

wait_for_exit(Supervisor, Pid) ->
    {messages, Messages} = process_info(Supervisor, messages),
    case [here || {'EXIT', One, _} <- Messages, One =:= Pid] of
        [] ->
            erlang:yield(),
            wait_for_exit(Supervisor, Pid);
        _ -> ok
    end.

%% Not while a nested supervisor is being started: it would look into its inbox beside what its parent does next, and
%% nobody could say in which order.
disturb(Table, on_start, Supervisor, Address) ->
    Free = ets:member(Table, {ready, Supervisor}) orelse known_pid(Table, {supervisor, <<>>}) =:= Supervisor,
    Free andalso disturb_now(Table, on_start, Supervisor, Address);
disturb(Table, When, Supervisor, Address) ->
    disturb_now(Table, When, Supervisor, Address).

disturb_now(Table, When, Supervisor, Address) ->
    case ets:take(Table, {When, Address}) of
        [{_, Victim, How}] when Victim =/= Address -> crash_under(Table, Supervisor, Victim, How);
        _ -> ok
    end.

%% Children -----------------------------------------------------------------------------------------------------------

start_supervisor(Table, Parent, {supervisor, Id, Strategy, _, _, _, _, _} = Spec) ->
    Address = below(Parent, Id),
    case Strategy of
        simple_one_for_one -> ets:insert(Table, {{simple, Address}});
        _ -> ok
    end,
    Started = supervisor:start_link(?MODULE, {Table, Address, Spec}),
    [ets:insert(Table, {{ready, Pid}}) || {ok, Pid} <- [Started]],
    Started.

init({Table, Address, {supervisor, _, Strategy, Intensity, Period, _, _, Children}}) ->
    ets:insert(Table, {{supervisor, Address}, self()}),
    Flags = #{strategy => Strategy, intensity => Intensity, period => Period},
    case Strategy of
        simple_one_for_one -> {ok, {Flags, [template(Child) || Child <- Children]}};
        _ -> {ok, {Flags, [spec(Table, Address, Child) || Child <- Children]}}
    end.

template({child, Id, Restart, Shutdown}) ->
    #{id => Id, start => {?MODULE, start_instance, [Restart, Shutdown]}, restart => Restart, shutdown => Shutdown}.

spec(Table, Parent, {child, Id, Restart, Shutdown}) ->
    #{id => Id, start => {?MODULE, start_worker, [Table, Parent, Id]}, restart => Restart, shutdown => Shutdown};
spec(Table, Parent, {supervisor, Id, _, _, _, Restart, Shutdown, _} = Spec) ->
    #{id => Id, start => {?MODULE, start_supervisor, [Table, Parent, Spec]}, restart => Restart,
      shutdown => Shutdown, type => supervisor}.

start_instance(_Restart, _Shutdown, Table, Address) -> start_at(Table, Address).
start_worker(Table, Parent, Id) -> start_at(Table, below(Parent, Id)).

%% Runs in the supervisor's process.
start_at(Table, Address) ->
    disturb(Table, on_start, self(), Address),
    case ets:lookup(Table, {fail, Address}) of
        [{Key, Count}] when Count > 0 ->
            ets:insert(Table, {Key, Count - 1}),
            say(Table, ["fail ", Address]),
            {error, scripted};
        _ ->
            say(Table, ["start ", Address]),
            {ok, start_process(Table, Address, self())}
    end.

start_process(Table, Address, Supervisor) ->
    Pid = spawn_link(fun() ->
        process_flag(trap_exit, true),
        Supervisor ! {ready, self()},
        work(Table, Address, Supervisor)
    end),
    ets:insert(Table, [{{pid, Address}, Pid}, {{worker, Pid}}]),
    receive {ready, Pid} -> Pid end.

work(Table, Address, Supervisor) ->
    receive
        {crash, How} -> exit(How);
        {'EXIT', Supervisor, shutdown} ->
            say(Table, ["stop ", Address]),
            disturb(Table, on_stop, Supervisor, Address),
            exit(shutdown);
        {'EXIT', Supervisor, Reason} -> exit(Reason) % its supervisor was killed
    end.
