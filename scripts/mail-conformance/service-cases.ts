/** The whole program with an operator's settings: a code is requested, arrives by mail, and signs in. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../tools/program.ts'
import { dnsRecord } from './dkim-cases.ts'
import { ASCII_READER, type Case, type Kit } from './kit.ts'
import { readMails } from './python.ts'
import { nextMail, type Receiver } from './receiver.ts'

export function serviceCase({ account, certificates, directory: above, jail }: Kit, receiver: Receiver, port: number): Case {
  return {
    name: 'the service: a code requested in German arrives with a good DKIM signature, and signs in',
    async run() {
      const directory = mkdtempSync(join(above, 'service-'))
      const save = (name: string, content: string): string => {
        writeFileSync(join(directory, name), content, { mode: 0o600 })
        return join(directory, name)
      }
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
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
      const [read] = readMails(jail, [arrived], { 'run._domainkey.example.org': dnsRecord(publicKey) })
      assert.ok(read !== undefined)
      assert.deepEqual(read.defects, [])
      assert.equal(read.headers['content-language'], 'de')
      assert.deepEqual(read.signatures, [{ algorithm: 'ed25519-sha256', selector: 'run', good: true }])
      const code = /^\d{6}/.exec(read.text ?? '')?.[0] ?? assert.fail('the first line does not begin with the code')
      assert.equal((await post('verify-code', { email: ASCII_READER, code })).status, 200)
      assert.ok(!service.output().stderr.includes(code), 'the log contains the code')
      assert.equal(await service.end('SIGTERM'), 0)
    },
  }
}
