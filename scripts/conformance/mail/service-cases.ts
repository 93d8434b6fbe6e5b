/** The whole program with an operator's settings: a code is requested, arrives by mail, signed with DKIM, and signs in. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../tools/program.ts'
import { ASCII_READER, type Case, type Kit } from './kit.ts'
import { readMails } from './python.ts'
import { nextMail, type Receiver } from './receiver.ts'

const KEYS = [
  ['rsa-sha256', () => generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ['ed25519-sha256', () => generateKeyPairSync('ed25519')],
] as const

export function serviceCases({ account, certificates, directory: above, jail }: Kit, receiver: Receiver, port: number): Case[] {
  return KEYS.map(([algorithm, generate]) => ({
    name: `the service: a code requested in German arrives, dkimpy takes its signature by ${algorithm}, and it signs in`,
    async run() {
      const directory = mkdtempSync(join(above, 'service-'))
      const save = (name: string, content: string): string => {
        writeFileSync(join(directory, name), content, { mode: 0o600 })
        return join(directory, name)
      }
      const { privateKey, publicKey } = generate()
      await using cleanup = new AsyncDisposableStack()
      const service = await serve({ after: (work) => cleanup.defer(async () => void (await work())) }, [
        ...['--data-dir', join(directory, 'data')],
        ...['--mail', `smtp://${encodeURIComponent(account.user)}@localhost:${port}`],
        ...['--mail-password-file', save('password', `${account.password}\n`)],
        ...['--mail-ca', save('ca.pem', certificates.ca)],
        ...['--mail-from', 'Zoë’s Häfen <no-reply@example.org>'],
        ...['--mail-dkim-key', save('dkim.pem', String(privateKey.export({ type: 'pkcs8', format: 'pem' })))],
        ...['--mail-dkim-selector', 'run'],
      ])
      const post = async (path: string, body: object): Promise<Response> =>
        fetch(new URL(`/api/v1/auth/${path}`, service.url), {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'accept-language': 'de-AT, en;q=0.5' },
          body: JSON.stringify(body),
        })
      assert.equal((await post('request-code', { email: ASCII_READER })).status, 202)
      const arrived = await nextMail(receiver)
      const changed = Buffer.from(arrived.toString('latin1').replace('Subject: ', 'Subject: x'), 'latin1')
      const [read, forged] = readMails(jail, [arrived, changed], { 'run._domainkey.example.org': dnsRecord(publicKey) })
      assert.ok(read !== undefined)
      assert.deepEqual(read.defects, [])
      assert.equal(read.headers['content-language'], 'de')
      assert.deepEqual(read.signatures, [{ algorithm, selector: 'run', good: true }])
      assert.equal(forged?.signatures[0]?.good, false)
      const code = /^\d{6}/.exec(read.text ?? '')?.[0] ?? assert.fail('the first line does not begin with the code')
      assert.equal((await post('verify-code', { email: ASCII_READER, code })).status, 200)
      assert.ok(!service.output().stderr.includes(code), 'the log contains the code')
      assert.equal(await service.end('SIGTERM'), 0)
    },
  }))
}

/** RFC 6376 section 3.6.1; RFC 8463 section 4: the bare 32 octets of an Ed25519 key. */
function dnsRecord(key: KeyObject): string {
  const spki = key.export({ type: 'spki', format: 'der' })
  if (key.asymmetricKeyType === 'rsa') return `v=DKIM1; k=rsa; p=${spki.toString('base64')}`
  return `v=DKIM1; k=ed25519; p=${spki.subarray(-32).toString('base64')}`
}
