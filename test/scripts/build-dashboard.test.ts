/** The build of the pages: names by content, the limit on the first visit, and read back as it was written. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { buildDashboard, type Dashboard } from '../../scripts/build-dashboard.ts'
import { packAssets, unpackAssets } from '../../src/app/page-assets.ts'
import { seededRandom } from '../../scripts/tools/random.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const html = (name: string): string =>
  `<!doctype html>\n<!-- a comment of the source -->\n  <link rel="stylesheet" href="${name}.css">\n` +
  `  <script type="module" src="${name}.ts"></script>\n`

/** A made-up pair of pages, with the given files in the place of others. */
function pages(t: Cleanup, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = temporaryDirectory(t)
  for (const folder of ['src/dashboard', 'data/texts']) mkdirSync(join(root, folder), { recursive: true })
  const all = {
    'page.html': html('page'),
    'docs.html': html('docs'),
    'page.ts': "import { both } from './both.ts'\nboth()\nvoid import('../../data/texts/de.json')\nvoid import('../../data/texts/fr.json')",
    'docs.ts': "import { both } from './both.ts'\nboth()",
    'both.ts': 'export const both = () => document.title',
    '../../data/texts/de.json': '{"later":"später"}',
    '../../data/texts/fr.json': '{"later":"plus tard, et avec plus de mots"}',
    'page.css': 'p { color: red; & b { color: blue } }',
    'docs.css': 'p { color: green }',
    'icon.svg': '<svg/>',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) writeFileSync(join(root, 'src/dashboard', name), text)
  return root
}

/** Of a path or a name. */
const withoutHash = (path: string): string => path.replace(/-\w{8}\./, '.')

it('a page is one script and one style sheet, besides the texts of each language', async (t) => {
  const { assets, firstVisit } = await buildDashboard({ root: pages(t) })
  assert.deepEqual(assets.map(({ path }) => withoutHash(path)).sort(), [
    ...['/', '/assets/de.js', '/assets/docs.css', '/assets/docs.js', '/assets/fr.js', '/assets/icon.svg'],
    ...['/assets/page.css', '/assets/page.js', '/docs', '/favicon.ico'],
  ])
  // Of the languages, the largest.
  assert.deepEqual([...firstVisit.keys()].map(withoutHash), ['page.html', 'page.css', 'page.js', 'fr.js'])
})

it('a name changes with its content, and only then', async (t) => {
  const names = async (files: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> =>
    new Set((await buildDashboard({ root: pages(t, files) })).assets.map(({ path }) => path))
  const [before, after] = [await names({}), await names({ '../../data/texts/de.json': '{"later":"danach"}' })]
  const changed = [...after.difference(before)].map(withoutHash).sort()
  assert.deepEqual(changed, ['/assets/de.js', '/assets/page.js'])
})

it('a second script takes from the first what both use, and weighs nothing at the first visit', async (t) => {
  const files = {
    'page.ts': "import { both } from './both.ts'\nboth()\nvoid import('./second-script.ts')\nvoid import('../../data/texts/de.json')",
    'second-script.ts': "import { both } from './both.ts'\nexport const later = (): unknown => [both(), 'of the second']",
  }
  const { assets, firstVisit, secondScript } = await buildDashboard({ root: pages(t, files) })
  // The script that both share is that of the page, which names it.
  assert.deepEqual([...firstVisit.keys()].map(withoutHash), ['page.html', 'page.css', 'chunk.js', 'de.js'])
  const textOf = (name: string): string => Buffer.from(assets.find(({ path }) => withoutHash(path) === name)?.body ?? []).toString()
  assert.match(textOf('/'), /<script type="module" src="assets\/chunk-\w{8}\.js">/)
  assert.match(textOf('/assets/chunk.js'), /document\.title/)
  assert.match(textOf('/assets/second-script.js'), /^import\{.*\}from"\.\/chunk-\w{8}\.js";.*of the second/)
  assert.doesNotMatch(textOf('/assets/second-script.js'), /document\.title/)
  assert.ok(secondScript > 0)
  assert.equal(textOf('/assets/page.js'), '')
})

it('a first visit over 102,400 bytes, compressed, is refused with its largest sources', async (t) => {
  const random = seededRandom(28)
  // Random bytes weigh what they are: no compression makes them smaller.
  const bytes = Uint8Array.from({ length: 110_000 }, () => random.below(256))
  const visit = (weight: number) =>
    buildDashboard({ root: pages(t, { 'page.html': `${html('page')}<link rel="icon" href="icon.svg">`, 'icon.svg': bytes.subarray(0, weight) }) })
  const total = ({ firstVisit }: Dashboard): number => [...firstVisit.values()].reduce((sum, weight) => sum + weight, 0)
  const most = 102_400 - (total(await visit(50_000)) - 50_000)
  // The HTML has a hash of the picture, which makes it a byte longer or shorter when it is compressed.
  assert.ok(total(await visit(most - 10)) <= 102_400)
  await assert.rejects(visit(most + 10), /page\.html: wanted at most 102400 bytes, compressed, .* found 1024[01]\d; the largest .*\n +10\d{4} src\/dashboard\/icon\.svg\n/)
})

it('fonts have names by content and a limit of their own, and weigh nothing at the first visit', async (t) => {
  const random = seededRandom(28)
  const withFont = (bytes: number) =>
    buildDashboard({
      root: pages(t, {
        'page.css': "@font-face { font-family: one; src: url('./one.woff2') }",
        'one.woff2': Uint8Array.from({ length: bytes }, () => random.below(256)),
      }),
    })
  const { assets, firstVisit, fonts } = await withFont(61_440)
  const font = assets.find(({ path }) => withoutHash(path) === '/assets/one.woff2')
  assert.deepEqual([font?.type, font?.immutable, font?.brotli], ['font/woff2', true, undefined])
  assert.deepEqual([...fonts], [[font?.path, 61_440]])
  assert.deepEqual([...firstVisit.keys()].map(withoutHash), ['page.html', 'page.css', 'page.js', 'fr.js'])
  assert.match(Buffer.from(assets.find(({ path }) => path.endsWith('.css') && path.includes('page'))?.body ?? []).toString(), /url\("?\.\/one-\w{8}\.woff2"?\)/)
  await assert.rejects(withFont(61_441), /page\.html: wanted at most 61440 bytes of fonts, found 61441/)
})

for (const [name, files, wanted] of [
  ['a mistake in a script', { 'page.ts': 'const' }, /src\/dashboard\/page\.ts:1:5: ERROR/],
  ['a module of node', { 'both.ts': "import 'node:fs'\nexport const both = () => 1" }, /"node:fs"/],
  ['a style that is not there', { 'page.css': "@import './gone.css'" }, /gone\.css/],
  ['HTML without its script', { 'docs.html': '<p>' }, /docs\.html: it does not name src\/dashboard\/docs\.ts/],
] as const) {
  it(`refuses ${name}`, async (t) => {
    await assert.rejects(buildDashboard({ root: pages(t, files) }), wanted)
  })
}

it('HTML loses its comments and indentation', async (t) => {
  const { assets } = await buildDashboard({ root: pages(t) })
  const html = Buffer.from(assets.find(({ path }) => path === '/')?.body ?? []).toString()
  assert.match(html, /^<!doctype html>\n<link rel="stylesheet" href="assets\/page-\w{8}\.css">\n<script type="module" src="assets\/page-\w{8}\.js"><\/script>\n$/)
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
