/** DKIM signatures, verified by dkimpy after the mail has gone through a server. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createDkimSigner } from '../../src/mail/message/dkim.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { type Case, deliverOnce, type Kit, mailOf } from './kit.ts'
import { readMails } from './python.ts'
import { nextMail, type Receiver } from './receiver.ts'

const CONTENT = signInMessage({ code: '042137', minutes: 15, appName: 'Überall', languages: ['de'] })
const DOMAIN = 'example.org'

const KEYS = [
  ['rsa-sha256', () => generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ['ed25519-sha256', () => generateKeyPairSync('ed25519')],
] as const

export function dkimCases(kit: Kit, receiver: Receiver, port: number): Case[] {
  return KEYS.map(([algorithm, generate]) => ({
    name: `DKIM: a signature by ${algorithm} is valid on arrival, and invalid after a change`,
    async run() {
      const { publicKey, privateKey } = generate()
      const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      const sign = createDkimSigner({ keyPem, selector: 'mail', domain: DOMAIN })
      const mail = mailOf(CONTENT)
      await deliverOnce(kit, port, { ...mail, data: sign(mail.data) })
      const arrived = await nextMail(receiver)
      const records = { [`mail._domainkey.${DOMAIN}`]: dnsRecord(publicKey) }
      const changed = [
        ['Subject: ', 'Subject: x'],
        ['042137', '042138'],
        ['From: ', 'From: other@example.org\r\nFrom: '],
      ].map(([from = '', to = '']) => Buffer.from(arrived.toString('latin1').replace(from, to), 'latin1'))
      const [whole, ...others] = readMails(kit.jail, [arrived, ...changed], records).map(({ signatures }) => signatures)
      assert.deepEqual(whole, [{ algorithm, selector: 'mail', good: true }])
      assert.deepEqual(others.map((found) => found.map(({ good }) => good)), [[false], [false], [false]])
    },
  }))
}

/** RFC 6376 section 3.6.1; RFC 8463 section 4: the bare 32 octets of an Ed25519 key. */
export function dnsRecord(key: KeyObject): string {
  const spki = key.export({ type: 'spki', format: 'der' })
  if (key.asymmetricKeyType === 'rsa') return `v=DKIM1; k=rsa; p=${spki.toString('base64')}`
  return `v=DKIM1; k=ed25519; p=${spki.subarray(-32).toString('base64')}`
}
