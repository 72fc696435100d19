#!/bin/sh
# Tells AICR Bot of a Subversion revision. It never makes the committer wait: it returns at once, exits 0 whatever
# happens, and passes on nothing but the number. What it cannot tell, the bot finds when it looks by itself.
#
# In hooks/post-commit of the repository, which must be executable:
#   #!/bin/sh
#   exec /path/to/svn-post-commit.sh http://127.0.0.1:8787 /path/to/key "$2"
#
# The first line of the key file is the key of this repository (triggers.svn, api_key_env). Nobody but the user that
# runs the server needs to read the file.

address=${1%/}
key_file=$2
number=$3
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}
export PATH

case $number in
  '' | *[!0-9]*)
    echo "usage: svn-post-commit.sh <address of the bot> <key file> <number>" >&2
    exit 0
    ;;
esac

tell() {
  # curl reads the key from its standard input: arguments can be seen by every user of the machine.
  sed -e 's/[\\"]/\\&/g' -e 's/.*/header = "X-API-Key: &"/' -e q "$key_file" |
    curl -q --silent --max-time 2 --proto '=http,https' --config - \
      --header 'Content-Type: application/x-www-form-urlencoded' --data "revision=$number" \
      --url "$address/triggers/svn"
}

# Whoever started us waits for every descriptor that a child keeps open. Only exec lets go of them: for a redirected
# function the shell keeps copies.
(
  exec </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  tell
) &
exit 0
