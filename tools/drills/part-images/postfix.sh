#!/bin/sh
# Does what the start script of the public image does for deploy/production/compose.yaml, and nothing else of it.
set -eu
touch /etc/postfix/main.cf
cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
sed -i 's/^smtp  *inet .*/587 inet n - n - - smtpd/' /etc/postfix/master.cf
put() { postconf -e "$1=$2"; }
put compatibility_level 3.6
put myhostname "$HOSTNAME"
put mydestination ''
put inet_interfaces all
put inet_protocols ipv4
put mynetworks '127.0.0.0/8, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16'
put smtpd_relay_restrictions 'permit_mynetworks, reject'
put relayhost "${RELAYHOST:-}"
put maillog_file /dev/stdout
env | sed -n 's/^POSTFIX_//p' | while IFS= read -r line; do postconf -e "$line"; done
exec postfix start-fg
