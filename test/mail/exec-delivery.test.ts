/**
 * Programs that get mail on their standard input: good ones, and ones that hang, flood, keep pipes open and read the
 * environment. Each is a real process, mostly a shell with a script as its argument.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DeliveryError, type SendOptions } from '../../src/mail/delivery/delivery-error.ts'
import { deliverByProgram, type ExecCommand } from '../../src/mail/delivery/exec-delivery.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { until } from '../support/until.ts'

const MESSAGE = 'Subject: 042137 is your code\r\n\r\nHello\r\n.\r\nBye\r\n'
const MAIL = { from: 'no-reply@example.org', to: 'reader@example.net', message: MESSAGE }
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nowhere', LANG: 'C', TZ: 'UTC' }

const skip = process.platform === 'win32' && 'these are Unix programs'

function shell(script: string, more: Partial<ExecCommand> = {}): ExecCommand {
  return { program: '/bin/sh', args: ['-c', script], environment: ENVIRONMENT, ...more }
}

async function failureOf(command: ExecCommand, options: SendOptions = {}, mail = MAIL): Promise<DeliveryError> {
  try {
    const reply = await deliverByProgram(command, mail, options)
    throw new assert.AssertionError({ message: `It was delivered: ${reply}` })
  } catch (error) {
    assert.ok(error instanceof DeliveryError, String(error))
    assert.equal(error.stage, 'exec')
    return error
  }
}

/** Whether a process still runs; a zombie counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('deliverByProgram()', { skip }, () => {
  it('gives the message on standard input, with Unix line ends, and the envelope in two variables', async (t) => {
    const file = join(temporaryDirectory(t), 'mail')
    const command = shell('cat > "$0"; echo "$DATELINE_MAIL_FROM $DATELINE_MAIL_TO $#" >> "$0"', {})
    const reply = await deliverByProgram({ ...command, args: [...command.args, file] }, MAIL)
    assert.equal(reply, 'the program accepted it')
    const wanted = `${MESSAGE.replaceAll('\r\n', '\n')}no-reply@example.org reader@example.net 0\n`
    assert.equal(readFileSync(file, 'utf8'), wanted)
  })

  it('resolves with the first lines that the program prints', async () => {
    const reply = await deliverByProgram(shell('cat > /dev/null; echo; echo queued as 7A; echo b; echo c; echo d'), MAIL)
    assert.equal(reply, 'queued as 7A / b / c')
  })

  const statuses: ReadonlyArray<readonly [string, boolean, RegExp]> = [
    ['exit 75', true, /: it ended with status 75 \(try later\)$/],
    ['echo greylisted >&2; exit 75', true, /, got "greylisted"$/],
    ['exit 1', false, /: it ended with status 1$/],
    ['exit 64', false, /: it ended with status 64 \(wrong arguments\)$/],
    ['echo no such user; exit 67', false, /status 67 \(recipient unknown\), got "no such user"$/],
    ['echo noise; echo the reason >&2; exit 69', false, /status 69 \(service unavailable\), got "the reason"$/],
    ['exit 78', false, /status 78 \(wrong configuration\)$/],
    ['exit 255', false, /status 255$/],
    ['kill -9 $$', true, /: it was ended by SIGKILL$/],
  ]
  for (const [script, temporary, message] of statuses) {
    it(`reports "${script}" as a ${temporary ? 'temporary' : 'permanent'} failure`, async () => {
      const error = await failureOf(shell(script))
      assert.equal(error.temporary, temporary)
      assert.match(error.message, /^Cannot deliver mail through the program "\/bin\/sh": /)
      assert.match(error.message, message)
    })
  }

  const unstartable: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['a missing program', '/nowhere/sendmail', /cannot be started \(no such file or directory\)/],
    ['a program without execute permission', '/etc/passwd', /cannot be started \(permission denied\)/],
    ['a directory', '/tmp', /cannot be started \(permission denied\)/],
    ['an invalid name', 'a\0b', /cannot be started/],
  ]
  for (const [name, program, message] of unstartable) {
    it(`reports ${name} as temporary, because the operator can correct it`, async () => {
      const error = await failureOf({ program, args: [], environment: ENVIRONMENT })
      assert.equal(error.temporary, true)
      assert.match(error.message, message)
    })
  }

  it('traces the dialogue, with codes masked', async () => {
    const traced: string[] = []
    const trace: SendOptions['trace'] = ({ from, text }) => void traced.push(`${from}: ${text}`)
    await deliverByProgram(shell('head -1; exit 0'), MAIL, { trace })
    assert.deepEqual(traced, ['note: starting "/bin/sh"', 'server: Subject: *** is your code', 'note: it ended with status 0'])
  })

  it('ends the program when the service stops, and starts none after that', async (t) => {
    const file = join(temporaryDirectory(t), 'pid')
    const stopping = new AbortController()
    const script = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 60`
    const failing = failureOf(shell(script), { signal: stopping.signal })
    await until(() => existsSync(file))
    stopping.abort()
    const error = await failing
    assert.deepEqual([error.temporary, /the service is stopping/.test(error.message)], [true, true])
    assert.equal(isRunning(Number(readFileSync(file, 'utf8'))), false)
    const later = await failureOf(shell(`echo late > ${file}`), { signal: stopping.signal })
    assert.match(later.message, /the service is stopping/)
    assert.notEqual(readFileSync(file, 'utf8'), 'late\n')
  })
})

describe('a hostile program, or a hostile recipient', { skip }, () => {
  it('does not run what a recipient writes, because the address is not part of a command', async (t) => {
    const trap = join(temporaryDirectory(t), 'trap')
    const to = `\`touch${trap}\`$(touch\${IFS}${trap});--help|&@example.net`
    const command = shell('', { args: ['-c', 'echo "$#" "[$DATELINE_MAIL_TO]"', 'sh'] })
    const reply = await deliverByProgram(command, { ...MAIL, to })
    assert.equal(reply, `0 [${to}]`)
    assert.equal(existsSync(trap), false)
  })

  it('gives shell characters in the arguments no meaning', async (t) => {
    const trap = join(temporaryDirectory(t), 'trap')
    const args = [`$(touch ${trap})`, `;touch ${trap}`, `| touch ${trap}`, `> ${trap}`, '$HOME', '*']
    const reply = await deliverByProgram({ program: '/bin/echo', args, environment: ENVIRONMENT }, MAIL)
    assert.equal(reply, args.join(' '))
    assert.equal(existsSync(trap), false)
  })

  it('sees of our environment only PATH, HOME, LANG and TZ', async () => {
    const environment = { ...ENVIRONMENT, DATELINE_MAIL: 'smtp://me:hunter2@host', JWT_SECRET_KEY: 'hunter2', X: 'x' }
    const args = ['sh', '-c', 'env | sed "s/=.*//" | sort | tr "\\n" " "; env | grep -c hunter2; true']
    const reply = await deliverByProgram({ program: '/usr/bin/env', args, environment }, MAIL)
    // The shell itself adds the last two.
    assert.match(reply, /^DATELINE_MAIL_FROM DATELINE_MAIL_TO HOME LANG PATH (?:OLDPWD )?PWD (?:SHLVL )?TZ (?:_ )?0$/)
  })

  it('may leave the message unread, however long it is', async () => {
    const message = `${MESSAGE}${'x'.repeat(500_000)}\r\n`
    assert.equal(await deliverByProgram(shell('exec <&-; echo done'), { ...MAIL, message }), 'done')
    const error = await failureOf(shell('exit 69'), {}, { ...MAIL, message })
    assert.equal(error.temporary, false)
  })

  it('never reads and never ends: it is killed, and the mail is retried', async () => {
    const message = `${MESSAGE}${'x'.repeat(500_000)}\r\n`
    const error = await failureOf(shell('exec sleep 60', { timeouts: { run: 300 } }), {}, { ...MAIL, message })
    assert.equal(error.temporary, true)
    assert.match(error.message, /: it took longer than 300 ms$/)
  })

  it('prints without end: it is killed after a million bytes, and the reply stays short', async () => {
    for (const script of ['exec yes 042137', 'exec yes 042137 >&2']) {
      const error = await failureOf(shell(script))
      assert.equal(error.temporary, true)
      assert.match(error.message, /: it printed more than 1000000 bytes, got "\*\*\* \/ \*\*\* \/ \*\*\*"$/)
    }
  })

  it('prints one line without end: the cut leaves no part of a code', async () => {
    const error = await failureOf(shell('while :; do printf "042137 %0993d" 0; done', {}))
    assert.ok((error.reply ?? '').length <= 301)
    assert.doesNotMatch(error.message, /0421/)
  })

  it('prints control characters: they do not reach the log', async () => {
    const reply = await deliverByProgram(shell(`printf 'a\\033[2J\\007b\\302\\233c\\342\\200\\256d\\r\\ne\\0f'`), MAIL)
    assert.equal(reply, 'a [2J b c d / e f')
  })

  it('ignores SIGTERM, as do its children: all are killed', { timeout: 20_000 }, async (t) => {
    const file = join(temporaryDirectory(t), 'pids')
    const ignore = '(trap "" TERM; while :; do sleep 60; done)'
    const script = `trap "" TERM; ${ignore} & echo $! $$ > ${file}.new; mv ${file}.new ${file}; wait`
    const stopping = new AbortController()
    const failing = failureOf(shell(script, { timeouts: { kill: 200 } }), { signal: stopping.signal })
    await until(() => existsSync(file))
    stopping.abort()
    await failing
    const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number)
    assert.equal(pids.length, 2)
    t.after(() => pids.filter(isRunning).forEach((pid) => process.kill(pid, 'SIGKILL')))
    // The system ends a killed process a moment later.
    await until(() => !pids.some(isRunning))
  })

  it('leaves a child that holds its output open: the mail counts as delivered, and the child goes on', async (t) => {
    const file = join(temporaryDirectory(t), 'pid')
    const script = `sleep 60 & echo $! > ${file}; echo queued`
    assert.equal(await deliverByProgram(shell(script, { timeouts: { drain: 50 } }), MAIL), 'queued')
    const pid = Number(readFileSync(file, 'utf8'))
    assert.equal(isRunning(pid), true)
    process.kill(pid, 'SIGKILL')
  })
})
