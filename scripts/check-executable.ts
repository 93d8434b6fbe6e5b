/**
 * The executable before it may be called one: built twice from two directories it is the same, and the test files that say
 * `also: executable`, with the word `all` all of the API and the command line, run against it, from empty directories with an
 * empty environment, while strace writes down what it says to the network: nothing beyond this machine, where the mail servers of
 * the tests are too.
 *
 * Tests that move the clock run with libfaketime, which has to be in the environment of the process; nothing else is.
 * Where strace or libfaketime is missing, that part is left out with a word about it. The suite of the HTTP layer is
 * not among these: it tries that layer alone, with servers of its own inside the tests.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiSuites, CLOCK } from './api-suites.ts'
import { contactsIn, foreignContacts } from './network-trace.ts'
import { testsAlso } from './test-files.ts'
import { runTests } from './test-runs.ts'

const ROOT = join(import.meta.dirname, '..')
const EXECUTABLE = join(ROOT, 'dist/dateline')
/** Processes of which there has to be a trace, so that an empty one proves nothing. */
const TRACED_MIN = 20

const work = mkdtempSync(join(tmpdir(), 'dateline-check-'))
/** The trace is looked at: these tests send mail, and set the environment. */
const TRACED = ['test/scripts/executable.test.ts', 'test/cli/mail-outbox.test.ts']
try {
  buildTwice()
  checkLibraries()
  const program = tracedProgram()
  const chosen = process.argv[2] === 'all' ? allFiles() : testsAlso('executable')
  const { withClock, withoutClock } = apiSuites(chosen)
  test('the API', program('api'), withoutClock)
  if (CLOCK === undefined) say(`left out, since there is no libfaketime: ${withClock.join(', ')}`)
  else test('the API with its own time', program('api'), withClock, { TEST_CLOCK: CLOCK })
  test('mail and the environment', program('mail'), TRACED)
  // Untraced: some of these tests name hosts elsewhere, to see what is said about them.
  test('the command line', EXECUTABLE, chosen.filter((file) => !file.startsWith('test/api/') && !TRACED.includes(file)))
  checkTraces()
} finally {
  rmSync(work, { recursive: true, force: true })
}

function allFiles(): string[] {
  const patterns = ['test/api/**/*.test.ts', 'test/cli/*.test.ts', 'test/examples.test.ts', 'test/scripts/container-image.test.ts']
  return globSync(patterns, { cwd: ROOT }).sort()
}

function buildTwice(): void {
  const copy = join(work, 'copy')
  for (const name of ['src', 'data', 'examples', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // The copy is of the same commit.
  const { stdout } = spawnSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: ROOT, encoding: 'utf8' })
  const sums = [ROOT, copy].map((root) => {
    const git = root === ROOT || stdout === '' ? {} : { GIT_DIR: stdout.trim(), GIT_WORK_TREE: root }
    const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, env: { ...process.env, ...git }, stdio: 'inherit' })
    if (status !== 0) throw new Error(`The build in ${root} failed`)
    return createHash('sha256')
      .update(readFileSync(join(root, 'dist/dateline')))
      .digest('hex')
  })
  if (sums[0] !== sums[1]) throw new Error(`Two builds of one tree differ: ${sums.join(' and ')}`)
  say(`built twice, SHA-256 ${sums[0]}`)
}

/** Small systems lack libatomic, which Node wants (build-elf-atomic.ts). The loader of Linux says what it would load (ld.so(8)). */
function checkLibraries(): void {
  if (process.platform !== 'linux') return
  const { stdout } = spawnSync(EXECUTABLE, [], { env: { LD_TRACE_LOADED_OBJECTS: '1' }, encoding: 'utf8' })
  if (!stdout.includes('libc.so') || /libatomic|not found/.test(stdout)) throw new Error(`It wants other libraries than it should:\n${stdout}`)
}

/** Gives the path of a script that becomes the executable, with its trace in a file of its own in a directory. */
function tracedProgram(): (directory: string) => string {
  if (spawnSync('strace', ['--version']).error !== undefined) {
    say('what it says to the network is not looked at, since there is no strace')
    return () => EXECUTABLE
  }
  return (directory) => {
    const [traces, script] = [join(work, directory), join(work, `${directory}.sh`)]
    mkdirSync(traces, { recursive: true })
    // One test runs it as another user, who writes a trace as well.
    chmodSync(work, 0o755)
    chmodSync(traces, 0o1777)
    // Shells set PWD, which strace takes away again. With -D the executable keeps the process id that the test knows,
    // and gets its signals.
    const strace = `/usr/bin/strace -D -f -qq --seccomp-bpf -e trace=%network -e signal=none -E PWD -o '${traces}/'$$`
    writeFileSync(script, `#!/bin/sh\nexec ${strace} '${EXECUTABLE}' "$@"\n`, { mode: 0o755 })
    return script
  }
}

function test(what: string, program: string, files: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  const start = performance.now()
  const variables = { ...environment, TEST_PROGRAM: program }
  const code = runTests({ files, root: ROOT, concurrency: 2, reporter: 'dot', variables, isolated: true })
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  say(`${what}: ${files.length} files ${code === 0 ? 'passed' : 'failed'} in ${seconds} s`)
  if (code !== 0) process.exitCode = 1
}

function checkTraces(): void {
  const traces = globSync(join(work, '{api,mail}/*')).map((file) => readFileSync(file, 'utf8'))
  if (traces.length === 0) return
  const serving = traces.filter((trace) => contactsIn(trace).some(({ call }) => call === 'bind'))
  if (serving.length < TRACED_MIN) throw new Error(`Only ${serving.length} services were traced, wanted ${TRACED_MIN}`)
  const foreign = traces.flatMap(foreignContacts)
  for (const { call, address, port } of foreign) {
    say(`it must not contact ${address} port ${port}, and did by ${call}`)
    process.exitCode = 1
  }
  say(`${traces.length} processes were traced, ${serving.length} of them services: ${foreign.length} foreign contacts`)
}

function say(text: string): void {
  process.stderr.write(`check-executable: ${text}\n`)
}
