/** The build of the pages: names by content, limits on size, and read back as it was written. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { packAssets, unpackAssets } from '../../src/app/page-assets.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

/** A made-up pair of pages, with the given files in the place of others. */
function pages(t: Cleanup, files: Readonly<Record<string, string>> = {}): string {
  const root = temporaryDirectory(t)
  for (const folder of ['src/dashboard', 'data/texts']) mkdirSync(join(root, folder), { recursive: true })
  const html = (name: string): string =>
    `<!doctype html>\n<!-- a comment of the source -->\n  <link rel="stylesheet" href="${name}.css">\n` +
    `  <script type="module" src="${name}.ts"></script>\n`
  const all = {
    'page.html': html('page'),
    'docs.html': html('docs'),
    'page.ts': "import { both } from './both.ts'\nboth()\nvoid import('./later.ts')",
    'docs.ts': "import { both } from './both.ts'\nboth()\nimport('./example.ts')",
    'both.ts': 'export const both = () => document.title',
    'later.ts': "import { both } from './both.ts'\nexport const later = () => both() + 'später'",
    'example.ts': "export const example = 'example'",
    'page.css': 'p { color: red; & b { color: blue } }',
    'docs.css': 'p { color: green }',
    'icon.svg': '<svg/>',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(root, 'src/dashboard', name), text)
  return root
}

it('a name changes with its content, and only then', async (t) => {
  const names = async (files: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> =>
    new Set((await buildDashboard({ root: pages(t, files) })).assets.map(({ path }) => path))
  const [before, after] = [await names({}), await names({ 'later.ts': "export const later = 'danach'" })]
  const changed = [...after.difference(before)].map((path) => path.replace(/-\w{8}\./, '.')).sort()
  assert.deepEqual(changed, ['/assets/later.js', '/assets/page.js'])
})

it('a page over 120,000 bytes is refused with its largest sources', async (t) => {
  const fitting = (bytes: number) => `export const both = () => document.title + '${'x'.repeat(bytes)}'`
  const { pageBytes } = await buildDashboard({ root: pages(t, { 'both.ts': fitting(100_000) }) })
  const most = 100_000 + (120_000 - pageBytes)
  assert.equal((await buildDashboard({ root: pages(t, { 'both.ts': fitting(most) }) })).pageBytes, 120_000)
  await assert.rejects(
    buildDashboard({ root: pages(t, { 'both.ts': fitting(most + 1) }) }),
    /at most 120000 bytes .* found 120001; the largest are\n +1\d{5} src\/dashboard\/both\.ts\n/,
  )
})

it('what is fetched when a screen is opened has a limit of its own, and what the page has already does not count', async (t) => {
  const later = (bytes: number) => ({
    'both.ts': `export const both = () => document.title + '${'x'.repeat(50_000)}'`,
    'later.ts': `import { both } from './both.ts'\nimport './later.css'\nexport const later = () => both() + '${'x'.repeat(bytes)}'`,
    'later.css': 'p { color: yellow }',
  })
  const { laterFiles } = await buildDashboard({ root: pages(t, later(30_000)) })
  const besides = [...laterFiles.values()].reduce((sum, bytes) => sum + bytes, 0) - 30_000
  await buildDashboard({ root: pages(t, later(45_000 - besides)) })
  await assert.rejects(
    buildDashboard({ root: pages(t, later(45_001 - besides)) }),
    /Cannot build src\/dashboard\/later\.ts: wanted at most 45000 bytes .* found 45001; the largest are\n +\d{5} src\/dashboard\/later\.ts\n/,
  )
})

it('a style sheet that a script imports arrives with the script, made smaller', async (t) => {
  const files = { 'later.ts': "import './later.css'\nexport const later = 1", 'later.css': 'p {\n  color: yellow;\n}\n' }
  const { assets } = await buildDashboard({ root: pages(t, files) })
  assert.deepEqual(
    assets.filter(({ path }) => path.endsWith('.css')).map(({ path }) => path.replace(/-\w{8}\./, '.')),
    ['/assets/docs.css', '/assets/page.css'],
  )
  const script = assets.find(({ path }) => path.includes('later'))
  assert.match(Buffer.from(script?.body ?? []).toString(), /replaceSync\("p\{color:#ff0\}"\)/)
})

for (const [name, files, wanted] of [
  ['a mistake in a script', { 'page.ts': 'const' }, /src\/dashboard\/page\.ts:1:5: ERROR/],
  ['a module of node', { 'both.ts': "import 'node:fs'\nexport const both = () => 1" }, /"node:fs"/],
  ['a style of a script that is not there', { 'later.ts': "import './gone.css'" }, /gone\.css/],
  ['HTML without its script', { 'docs.html': '<p>' }, /docs\.html: it does not name src\/dashboard\/docs\.ts/],
] as const) {
  it(`refuses ${name}`, async (t) => {
    await assert.rejects(buildDashboard({ root: pages(t, files) }), wanted)
  })
}

it('HTML preloads what its script imports statically, and loses its comments and indentation', async (t) => {
  const { assets } = await buildDashboard({ root: pages(t) })
  const html = Buffer.from(assets.find(({ path }) => path === '/')?.body ?? []).toString()
  const preloaded = [...html.matchAll(/<link rel="modulepreload" href="assets\/(\w+)-\w{8}\.js">\n/g)].map(
    ([, name]) => name,
  )
  assert.deepEqual(preloaded, ['chunk'])
  assert.ok(html.indexOf('modulepreload') < html.indexOf('<script'))
  assert.doesNotMatch(html, /a comment of the source|^ /m)
})

it('what was packed is unpacked the same', async (t) => {
  const { assets } = await buildDashboard({ root: pages(t) })
  const plain = (list: typeof assets) =>
    list.map(({ body, brotli, gzip, ...rest }) => ({
      ...rest,
      bytes: [body, brotli, gzip].map((bytes) => bytes && Buffer.from(bytes).toString('hex')),
    }))
  assert.ok(assets.some(({ brotli, gzip }) => brotli === undefined || gzip === undefined))
  assert.deepEqual(plain(unpackAssets(packAssets(assets))), plain(assets))
})

it('a file of assets that was cut off anywhere, or has more to it, is refused', async (t) => {
  const file = packAssets((await buildDashboard({ root: pages(t) })).assets)
  for (let bytes = 0; bytes < file.length; bytes++) assert.throws(() => unpackAssets(file.subarray(0, bytes)))
  assert.throws(() => unpackAssets(Buffer.concat([file, Buffer.from('x')])), /expected \d+ bytes, found \d+/)
})
