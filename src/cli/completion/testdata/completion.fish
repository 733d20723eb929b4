# Completion of millrace for fish.
function __millrace_place
    set --local place ''
    for word in (commandline --tokenize --cut-at-cursor --current-process)[2..]
        set --local next (string trim "$place $word")
        switch "$next"
            case 'cars' 'cars list' 'paint'
                set place "$next"
        end
    end
    test "$place" = "$argv[1]"
end
complete --command millrace --condition '__millrace_place \'\'' --no-files --arguments 'cars' --description 'cars of a driver\'s team'
complete --command millrace --condition '__millrace_place \'\'' --no-files --arguments 'paint' --description ''
complete --command millrace --condition '__millrace_place \'\'' --no-files --arguments 'help' --description 'display help for command'
complete --command millrace --condition '__millrace_place \'\'' --long-option help --short-option h --description 'display help for command'
complete --command millrace --condition '__millrace_place \'cars\'' --no-files --arguments 'list' --description 'list: the cars'
complete --command millrace --condition '__millrace_place \'cars\'' --no-files --arguments 'help' --description 'display help for command'
complete --command millrace --condition '__millrace_place \'cars\'' --long-option help --short-option h --description 'display help for command'
complete --command millrace --condition '__millrace_place \'cars list\'' --long-option colour --short-option c --exclusive --arguments 'red blue' --description 'only of this colour'
complete --command millrace --condition '__millrace_place \'cars list\'' --long-option owner --require-parameter --description 'the owner\'s name'
complete --command millrace --condition '__millrace_place \'cars list\'' --long-option help --short-option h --description 'display help for command'
complete --command millrace --condition '__millrace_place \'paint\'' --no-files --arguments 'red' --description ''
complete --command millrace --condition '__millrace_place \'paint\'' --no-files --arguments 'blue' --description ''
complete --command millrace --condition '__millrace_place \'paint\'' --long-option help --short-option h --description 'display help for command'
