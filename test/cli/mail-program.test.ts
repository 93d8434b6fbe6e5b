/** The service with mail through a program, from the setting to the message, as an operator runs it. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { serveCheaply } from '../support/service/in-process.ts'
import { requestCode } from '../support/service/program-calls.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const skip = process.platform === 'win32' && 'the program is a script of Unix'

it('serve gives a code to the program of --mail, and none of its secrets', { skip }, async (t) => {
  const directory = temporaryDirectory(t)
  const [program, out] = [join(directory, 'send mail'), join(directory, 'out')]
  writeFileSync(program, `#!/bin/sh\n{ env; cat; } > "$1.new"; mv "$1.new" "$1"; echo taken\n`, { mode: 0o700 })
  const environment = {
    DATELINE_MAIL: `exec:'${program}' "${out}"`,
    DATELINE_JWT_SECRET: 'correct horse battery staple, and so on',
    PASSWORD_OF_SOMETHING: 'correct horse',
  }
  const service = await serveCheaply(t, ['--data-dir', join(directory, 'data')], { environment })
  await requestCode(service.url, 'reader@example.org')
  await service.logged('mail.delivered')
  await service.end('SIGTERM')
  const got = readFileSync(out, 'utf8')
  assert.match(got, /^DATELINE_MAIL_TO=reader@example\.org$/m)
  assert.match(got, /^To: reader@example\.org$/m)
  assert.doesNotMatch(got, /correct horse|JWT/)
  const { stderr } = service.output()
  assert.ok(stderr.includes(`Sign-in codes: mail is given to the program \\"${program}\\"`), stderr)
  assert.match(stderr, /"event":"mail\.delivered".*"reply":"taken"/)
})
