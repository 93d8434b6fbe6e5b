/**
 * Attack: another user of the machine reads, changes or replaces a file that decides who may do what. With the secret
 * anyone signs a token of an administrator; with the directory anyone puts in a database or a secret of their own; with
 * the settings file anyone names the program that gets the mail.
 */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { entryTo, replacementIn } from '../../src/base/file-mode.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { exposureWarnings } from '../../src/config/exposed-files.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { readSecrets } from '../../src/config/secrets.ts'
import { DataDirError } from '../../src/store/db/data-dir.ts'
import { runCheaply, runHere, serveCheaply } from '../support/service/in-process.ts'
import { siteWithBoss } from '../support/service/made-site.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

// Windows has no mode bits: there the directories above decide.
const skip = process.platform === 'win32'
const isRoot = process.getuid?.() === 0

async function site(t: Cleanup): Promise<{ readonly data: string; readonly secrets: string }> {
  const data = await siteWithBoss(t)
  return { data, secrets: join(data, 'secrets') }
}

interface Report {
  readonly ok: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly warning: boolean; text: string }[]
}

/** Every site with its backups on its own disk gets a warning about them: that is another matter. */
function reported(stdout: string): Report {
  const report = JSON.parse(stdout) as Report
  return { ...report, checks: report.checks.filter(({ name }) => name !== 'backups') }
}

async function checked(...words: readonly string[]): Promise<{ readonly code: number | null; readonly report: Report }> {
  const { code, stdout } = await runHere(['check', '--json', ...words])
  return { code, report: reported(stdout) }
}

/** Both refuse with the same sentence, and say what to do. */
async function refusedByBoth(data: string, wanted: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runHere(['serve', '--port', '0', '--data-dir', data])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, wanted)
  assert.doesNotMatch(stderr, /\n./, 'one sentence')
  const { code: found, report } = await checked('--data-dir', data)
  assert.equal(found, 1)
  assert.ok(report.checks.some(({ ok, text }) => !ok && wanted.test(text)), JSON.stringify(report))
}

describe('attack: files that other users may read or change', { skip }, () => {
  const modes = [[0o640, 'read'], [0o604, 'read'], [0o620, 'change'], [0o602, 'change'], [0o666, 'read and change']] as const
  for (const [mode, verbs] of modes) {
    it(`secrets of mode 0${mode.toString(8)} are refused until chmod 600`, async (t) => {
      const { data, secrets } = await site(t)
      chmodSync(secrets, mode)
      const wanted = `mode 0${mode.toString(8)} lets other users ${verbs} it: run chmod 600 ".*secrets".*everyone then signs in again`
      await refusedByBoth(data, new RegExp(wanted))
      chmodSync(secrets, 0o600)
      assert.equal((await runHere(['user', 'list', '--data-dir', data])).code, 0)
    })
  }

  it('a link does not hide the mode of the file that it leads to', async (t) => {
    const { data, secrets } = await site(t)
    const elsewhere = join(temporaryDirectory(t), 'secrets')
    writeFileSync(elsewhere, readFileSync(secrets), { mode: 0o644 })
    renameSync(secrets, join(data, 'kept'))
    symlinkSync(elsewhere, secrets)
    await refusedByBoth(data, /mode 0644 lets other users read it/)
  })

  it('a data directory into which others may put files is refused, with the sticky bit as well', async (t) => {
    const { data } = await site(t)
    for (const mode of [0o770, 0o757, 0o1777]) {
      chmodSync(data, mode)
      const text = mode.toString(8).padStart(4, '0')
      await refusedByBoth(data, new RegExp(`mode ${text} of ".*data" lets other users replace what is in it: run chmod go-w ".*data"`))
    }
  })

  it('check and serve warn about a data directory that others may only enter, in the same words, and run', async (t) => {
    const { data } = await site(t)
    for (const mode of [0o755, 0o711]) {
      chmodSync(data, mode)
      const wanted = `the data directory: mode 0${mode.toString(8)} lets other users into it: run chmod go-rwx "${data}"`
      const { code, report } = await checked('--data-dir', data)
      const found = report.checks.filter(({ ok, warning }) => !ok || warning)
      assert.deepEqual([code, found], [0, [{ name: 'permissions', ok: true, warning: true, text: wanted }]])
      const service = await serveCheaply(t, ['--data-dir', data])
      const lines = service.output().stderr.split('\n').filter((line) => line.includes('data directory'))
      assert.equal(await service.end('SIGTERM'), 0)
      const [line, ...more] = lines.map((text) => JSON.parse(text) as Record<string, unknown>)
      assert.deepEqual([line?.['level'], line?.['message'], more], ['warn', `Warning: ${wanted}`, []])
    }
    chmodSync(data, 0o700)
    const { code, report } = await checked('--data-dir', data)
    assert.deepEqual([code, report.checks.filter(({ warning }) => warning)], [0, []])
  })

  it('check and serve warn about a directory above in which everyone may replace files, and /tmp is none', async (t) => {
    const { data } = await site(t)
    for (const [mode, wanted] of [[0o777, ['permissions']], [0o1777, []], [0o775, []]] as const) {
      chmodSync(join(data, '..'), mode)
      const { code, report } = await checked('--data-dir', data)
      const warned = report.checks.filter(({ warning }) => warning)
      assert.deepEqual([code, warned.map(({ name }) => name)], [0, wanted])
      for (const { text } of warned) assert.match(text, /^the data directory: mode 0777 of ".*" lets other users replace what is in it: run chmod o-w "\//)
    }
  })

  it('a group of the user alone may write, as umask 002 has it, and any other may not', { skip: !isRoot }, async (t) => {
    const { data } = await site(t)
    chmodSync(data, 0o770)
    for (const [uid, gid, isOpen] of [[1234, 1234, false], [1234, 100, true], [0, 0, true]] as const) {
      chownSync(data, uid, gid)
      assert.equal(replacementIn(data) !== undefined, isOpen, `${uid}:${gid}`)
      assert.equal(entryTo(data) !== undefined, isOpen, `${uid}:${gid}`)
    }
  })

  it('secrets that belong to another user than the directory are refused', { skip: !isRoot }, async (t) => {
    const { data, secrets } = await site(t)
    chownSync(secrets, 1234, 1234)
    const { code, stderr } = await runHere(['serve', '--port', '0', '--data-dir', data])
    assert.equal(code, 1)
    assert.match(stderr, /it belongs to another user \(uid 1234\): remove ".*secrets"/)
    chownSync(data, 1234, 1234)
    assert.equal((await runHere(['user', 'list', '--data-dir', data])).code, 0, 'as with sudo beside a service of its own')
  })

  it('a directory of templates that others may write to is reported', async (t) => {
    const { data } = await site(t)
    mkdirSync(join(data, 'templates'))
    chmodSync(join(data, 'templates'), 0o755)
    assert.equal((await checked('--data-dir', data)).code, 0)
    chmodSync(join(data, 'templates'), 0o777)
    const { code, report } = await checked('--data-dir', data)
    assert.equal(code, 1)
    assert.match(report.checks.find(({ ok }) => !ok)?.text ?? '', /templates: run chmod -R go-rwx/)
  })

  it('every command refuses such secrets, not the service alone', async (t) => {
    const { data, secrets } = await site(t)
    chmodSync(secrets, 0o644)
    for (const words of [['user', 'list'], ['admin', '--email', 'you@example.org', '--code'], ['seed']]) {
      const { code, stdout, stderr } = await runHere([...words, '--data-dir', data])
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /run chmod 600/)
    }
  })

  it('a settings file that every user may change is refused', (t) => {
    const file = join(temporaryDirectory(t), 'dateline.json')
    writeFileSync(file, '{"mail":"exec:/tmp/theirs"}')
    const read = () => readConfig(new Map([['config', file]]), {})
    for (const mode of [0o666, 0o602]) {
      chmodSync(file, mode)
      assert.throws(read, { name: 'ConfigError', message: /lets every user of this machine change it: run chmod go-w "/ })
    }
    chmodSync(file, 0o644)
    assert.equal(read().mail.kind, 'exec')
  })

  it('check and serve warn about other key files that others may read, and run', async (t) => {
    const { data } = await site(t)
    const directory = temporaryDirectory(t)
    const file = (name: string, content: string, mode: number): string => {
      const path = join(directory, name)
      writeFileSync(path, content)
      chmodSync(path, mode)
      return path
    }
    const environment = { JWT_SECRET_KEY_FILE: file('jwt', 'xK2-9fQwT7rLmZ4vB8nHs3DyGc6JpWea', 0o444) }
    const flags = new Map([
      ['tlsKey', file('tls.pem', '', 0o644)],
      ['tlsCert', file('cert.pem', '', 0o644)],
      ['tokenFile', file('token', '', 0o640)],
      ['config', file('dateline.json', '{"mail":"smtp://me:hunter2@mail.example.org"}', 0o644)],
      ['mailCa', file('ca.pem', '', 0o644)],
      ['outboundCa', file('outbound.pem', '', 0o644)],
    ] as const)
    const warnings = exposureWarnings(flags, environment)
    const setting = /^the file of (\S+): mode \d+ lets other users read it: run chmod 600 "\//
    const named = warnings.map((text) => setting.exec(text)?.[1])
    assert.deepEqual(named, ['--tls-key', '--token-file', 'JWT_SECRET_KEY_FILE', '--config'], warnings.join('\n'))
    assert.doesNotMatch(warnings.join(), /hunter2/)
    for (const path of [...flags.values(), environment.JWT_SECRET_KEY_FILE]) chmodSync(path, 0o600)
    assert.deepEqual(exposureWarnings(flags, environment), [])
    const program = file('mailer', '#!/bin/sh\n', 0o775)
    for (const setting of ['mailCa', 'outboundCa'] as const) chmodSync(flags.get(setting) ?? '', 0o664)
    const changeable = exposureWarnings(new Map([...flags, ['mail', `exec:${program} -t`]]), {})
    assert.deepEqual(changeable.map((text) => text.replace(directory, '')), [
      'the file of --mail-ca: mode 0664 lets other users change it: run chmod 600 "/ca.pem"',
      'the file of --outbound-ca: mode 0664 lets other users change it: run chmod 600 "/outbound.pem"',
      'the program of --mail: mode 0775 lets other users change it: run chmod go-w "/mailer"',
    ])
    const withProxy = file('proxy.json', '{"outboundProxy":"http://me:hunter2@proxy.example.org"}', 0o644)
    assert.match(exposureWarnings(new Map([['config', withProxy]]), {}).join(), /^the file of --config: mode 0644 lets other users read it/)

    chmodSync(environment.JWT_SECRET_KEY_FILE, 0o444)
    const { code, stdout } = await runCheaply(['check', '--json', '--data-dir', data], { environment })
    assert.equal(code, 0, stdout)
    const [warned, ...more] = reported(stdout).checks.filter(({ warning }) => warning)
    assert.deepEqual([warned?.name, warned?.ok, more], ['permissions', true, []])
    const service = await serveCheaply(t, ['--data-dir', data], { environment })
    assert.match(service.output().stderr, /Warning: the file of JWT_SECRET_KEY_FILE: mode 0444/)
    assert.equal(await service.end('SIGTERM'), 0)
  })
})

describe('attack: a secret that can be guessed', () => {
  it('is refused in the file, whichever line it stands on', async (t) => {
    const { data, secrets } = await site(t)
    const good = readFileSync(secrets, 'utf8')
    for (const [text, wanted] of [
      [`${good}${'0123456789'.repeat(4)}\n`, /a short text over and over/],
      ['\n\n', /expected one secret per line, found none/],
    ] as const) {
      writeFileSync(secrets, text)
      await refusedByBoth(data, wanted)
    }
    writeFileSync(secrets, good)
    assert.equal((await checked('--data-dir', data)).code, 0)
  })

  it('is refused in the environment, and not repeated', () => {
    for (const name of ['DATELINE_JWT_SECRET', 'JWT_SECRET_KEY']) {
      assert.throws(
        () => readSecrets({ [name]: 'x'.repeat(64) }),
        (error: Error) => {
          assert.ok(error instanceof ConfigError && !(error instanceof DataDirError))
          assert.match(error.message, new RegExp(`^Cannot use ${name}: .*one character over and over: make one with`))
          assert.doesNotMatch(error.message, /xxx/)
          return true
        },
      )
    }
  })

  it('a secrets file without end, or a directory or pipe in its place, ends the start', async (t) => {
    const { data, secrets } = await site(t)
    writeFileSync(secrets, 'x'.repeat(100_000))
    await refusedByBoth(data, /at most 65536 bytes, found 100000/)
    renameSync(secrets, join(data, 'kept'))
    mkdirSync(secrets, { mode: 0o700 })
    await refusedByBoth(data, /it is a directory/)
  })
})
