#compdef millrace
# Completion of millrace for zsh.
_millrace() {
  local place='' next one
  local -a names flags
  for one in "${(@)words[2,CURRENT-1]}"; do
    next="${place:+$place }$one"
    case "$next" in
    'cars'|'cars list'|'paint') place="$next" ;;
    esac
  done
  case "$place" in
    '') names=('cars:cars of a driver'\''s team' 'paint:' 'help:display help for command') flags=('--help:display help for command' '-h:display help for command') ;;
    'cars') names=('list:list: the cars' 'help:display help for command') flags=('--help:display help for command' '-h:display help for command') ;;
    'cars list') names=() flags=('--colour:only of this colour' '-c:only of this colour' '--owner:the owner'\''s name' '--help:display help for command' '-h:display help for command') ;;
    'paint') names=('red:' 'blue:') flags=('--help:display help for command' '-h:display help for command') ;;
  esac
  case "$place ${words[CURRENT-1]}" in
    'cars list --colour'|'cars list -c') names=('red' 'blue') flags=() ;;
    'cars list --owner') names=() flags=() ;;
  esac
  local result=1
  if (( ${#names} )); then _describe 'command' names && result=0; fi
  if [[ "${words[CURRENT]}" == -* ]] && (( ${#flags} )); then _describe -o 'option' flags && result=0; fi
  if (( ! ${#names} )); then _files && result=0; fi
  return result
}
compdef _millrace millrace
