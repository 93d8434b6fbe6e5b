// gate: starts the program for every command of the guides
/** Every command of the guides is run; those that need more than a test has are held against the help of the program. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { codeBlocks, DOCUMENTS, ROOT, shell } from '../support/service/documented-commands.ts'
import { runHere } from '../support/service/in-process.ts'
import { serve } from '../../scripts/tools/program.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const PORT = /\b8080\b/g

it('the commands of the guides work in their order beside a service', async (t) => {
  const directory = temporaryDirectory(t)
  const [data, tokenFile] = [join(directory, 'data'), join(directory, 'token')]
  const { url, ready } = await serve(t, ['--data-dir', data, '--admin-email', 'you@example.org', '--token-file', tokenFile])
  const environment = { DATELINE_DATA_DIR: data, URL: url, TOKEN: readFileSync(tokenFile, 'utf8').trim() }
  const seeded = await shell(t, 'dateline seed', { cwd: directory, environment })
  assert.equal(seeded.code, 0, seeded.stderr)
  for (const [path, text] of DOCUMENTS) {
    const blocks = codeBlocks(text, 'sh')
    if (path === 'README.md' || blocks.length === 0) continue
    await t.test(path, async () => {
      const cwd = join(directory, basename(path))
      mkdirSync(cwd)
      const script = blocks.join('\n').replaceAll(PORT, String(ready['port']))
      const { code, stdout, stderr } = await shell(t, script, { cwd, environment })
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      assert.doesNotMatch(stdout, /"error":/)
    })
  }
})

/** `dateline user list --json` → `user list`, [`--json`]. */
function commandsIn(text: string): readonly { readonly words: string; readonly flags: readonly string[] }[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  return lines.flatMap((line) => {
    const [, words, rest = ''] = /^(?:.*[\s(])?(?:\.\/|\/\S+\/)?dateline ((?:[a-z]+ )?[a-z]+)((?: .*)?)$/.exec(line) ?? []
    return words === undefined ? [] : [{ words, flags: [...rest.matchAll(/(?<=\s)--[a-z-]+/g)].map(String) }]
  })
}

it('every command that is not run has the flags that it names', async () => {
  let checked = 0
  for (const [path, text] of DOCUMENTS) {
    for (const { words, flags } of codeBlocks(text, 'console').flatMap(commandsIn)) {
      const [first = ''] = words.split(' ')
      const both = await runHere(['help', ...words.split(' ')])
      const help = both.code === 0 ? both : await runHere([first, '--help'])
      assert.equal(help.code, 0, `${path}: there is no command "${words}"`)
      for (const flag of flags)
        assert.match(help.stdout, new RegExp(`^  ${flag} `, 'm'), `${path}: "dateline ${words}" has no ${flag}`)
      checked += flags.length
    }
  }
  assert.ok(checked > 15, `${checked} flags`)
})

it('every script of npm that is named exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  for (const [path, text] of DOCUMENTS) {
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([a-z-]+)/g)) {
      assert.ok(name in scripts, `${path} names "npm run ${name}"`)
    }
  }
})

it('no line is longer than 120 characters, outside tables and code', () => {
  for (const [path, text] of DOCUMENTS) {
    const lines = text.replace(/^```.*?^```$/gms, '').split('\n')
    assert.deepEqual(
      lines.filter((line) => line.length > 120 && !line.startsWith('|')),
      [],
      path,
    )
  }
})
