"""A mail server for tests: aiosmtpd on 127.0.0.1, on a port the system chooses.

Arguments: certificate file, key file, mode (`starttls`, `tls`), user, password, AUTH mechanism to leave out or `-`.
Prints one JSON object a line: first the port, then each mail that arrived, as Python's own parser reads it.
Ends when its standard input ends.
"""

import asyncio
import base64
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


def say(value):
    print(json.dumps(value), flush=True)


class Inbox:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = list(message.walk())
        say({
            'from': envelope.mail_from,
            'to': envelope.rcpt_tos,
            'encrypted': server.transport.get_extra_info('ssl_object') is not None,
            'user': getattr(session, 'login_name', None),
            'content': base64.b64encode(envelope.content).decode(),
            'defects': [repr(defect) for part in parts for defect in part.defects]
            + [repr(defect) for part in parts for value in part.values() for defect in getattr(value, 'defects', ())],
            'headers': {name: str(value) for name, value in message.items()},
            'sender': [[each.display_name, each.addr_spec] for each in message['from'].addresses],
            'recipients': [each.addr_spec for each in message['to'].addresses],
            'date': message['date'].datetime.isoformat(),
            'types': [part.get_content_type() for part in parts],
            'text': message.get_body(('plain',)).get_content(),
            'html': message.get_body(('html',)).get_content(),
        })
        return '250 2.0.0 kept'


async def main():
    certificate, key, mode, user, password, left_out = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def authenticate(server, session, envelope, mechanism, auth_data):
        good = isinstance(auth_data, LoginPassword) and (auth_data.login, auth_data.password) == (
            user.encode(),
            password.encode(),
        )
        if good:
            session.login_name = auth_data.login.decode()
        return AuthResult(success=good, handled=good)

    def protocol():
        implicit = mode == 'tls'
        return SMTP(
            Inbox(),
            enable_SMTPUTF8=True,
            tls_context=None if implicit else context,
            require_starttls=not implicit,
            authenticator=authenticate,
            auth_required=True,
            auth_require_tls=not implicit,
            auth_exclude_mechanism=None if left_out == '-' else [left_out],
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, '127.0.0.1', 0, ssl=context if mode == 'tls' else None)
    say({'port': server.sockets[0].getsockname()[1]})
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
