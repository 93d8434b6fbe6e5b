"""Parses mails with Python's own parser, and prints the result with all defects as JSON.

Standard input: a JSON object with `mails` (base64) and `records`, DNS names with their text. With records, the DKIM
signatures are verified by dkimpy against them. Prints a list in the order of the mails.
"""

import base64
import email
import email.policy
import json
import sys


def read(raw, records):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = list(message.walk())
    return {
        'defects': [repr(defect) for part in parts for defect in part.defects]
        + [repr(defect) for part in parts for value in part.values() for defect in getattr(value, 'defects', ())],
        'headers': {name.lower(): str(value) for name, value in message.items()},
        'types': [part.get_content_type() for part in parts],
        'text': body(message, 'plain'),
        'html': body(message, 'html'),
        'signatures': signatures(message, raw, records) if records else [],
    }


def body(message, kind):
    part = message.get_body((kind,))
    return None if part is None else part.get_content()


def signatures(message, raw, records):
    import dkim

    def dnsfunc(name, timeout=5):
        return records.get(name.decode().rstrip('.'), '').encode() or None

    verifier = dkim.DKIM(raw)
    found = [value for name, value in message.raw_items() if name.lower() == 'dkim-signature']
    verdicts = []
    for index in range(len(found)):
        try:
            good = verifier.verify(index, dnsfunc=dnsfunc)
            fields = {key.decode(): value.decode() for key, value in verifier.signature_fields.items()}
            verdicts.append({'algorithm': fields['a'], 'selector': fields['s'], 'good': good})
        except dkim.DKIMException as error:
            verdicts.append({'algorithm': '', 'selector': '', 'good': False, 'reason': repr(error)})
    return verdicts


request = json.load(sys.stdin)
print(json.dumps([read(base64.b64decode(mail), request['records']) for mail in request['mails']]))
