/**
 * What is in the executable, as CycloneDX 1.6 JSON: Dateline, its typefaces, Node, and the libraries inside Node, which says itself
 * what it was built with (process.versions), with their licences. It holds no time and no random number, so that it stays
 * the same. The C++ libraries that it loads are those of the system, and no part of it.
 */

/** Numbers of interfaces, not parts. */
const NO_PARTS = ['node', 'modules', 'napi']
/** Written in JavaScript and known to npm by the same name. */
const FROM_NPM = ['acorn', 'amaro', 'undici']
/** What the short names stand for, where the name of the project is another. */
const NAMES: Readonly<Record<string, string>> = { ares: 'c-ares', uv: 'libuv', tz: 'tzdata', unicode: 'unicode-data' }

/** The typefaces of the dashboard, which are from packages of npm: data/fonts says which files. */
const FONTS: Readonly<Record<string, string>> = { 'public-sans': '5.3.0', newsreader: '5.3.0' }

/** By the short names, as Node's LICENSE and the projects themselves say: SPDX identifiers, or a name where there is none. */
const LICENSES: Readonly<Record<string, string>> = {
  ...{ node: 'MIT', acorn: 'MIT', ada: 'MIT', amaro: 'MIT AND Apache-2.0', ares: 'MIT', brotli: 'MIT', cldr: 'Unicode-3.0' },
  ...{ icu: 'Unicode-3.0', libffi: 'MIT', lief: 'Apache-2.0', llhttp: 'MIT', merve: 'MIT', nbytes: 'MIT', ncrypto: 'MIT' },
  ...{ nghttp2: 'MIT', nghttp3: 'MIT', ngtcp2: 'MIT', openssl: 'Apache-2.0', simdjson: 'Apache-2.0', simdutf: 'MIT' },
  ...{ sqlite: 'blessing', tz: 'Public Domain', undici: 'MIT', unicode: 'Unicode-3.0', uv: 'MIT', uvwasi: 'MIT' },
  ...{ v8: 'BSD-3-Clause', zlib: 'Zlib', zstd: 'BSD-3-Clause' },
}

type License = { readonly license: { readonly id: string } | { readonly name: string } } | { readonly expression: string }

interface Component {
  readonly type: 'application' | 'platform' | 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly License[]
}

/**
 * The bill as text, for this version of ours and what process.versions tells. An empty version is no part. Throws for a part
 * whose licence is not known.
 */
export function billOfMaterials(version: string, versions: Readonly<Record<string, string | undefined>>): string {
  const dateline = component('application', 'dateline', version)
  const node = licensed('platform', 'node', versions['node'] ?? '')
  const libraries = Object.entries(versions)
    .filter(([name, found]) => !NO_PARTS.includes(name) && found !== undefined && found !== '')
    .map(([name, found = '']) => licensed('library', name, found))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const fonts = Object.entries(FONTS).map(([name, found]): Component => {
    const purl = `pkg:npm/%40fontsource-variable/${name}@${found}`
    return { type: 'library', 'bom-ref': purl, name, version: found, purl, licenses: [license('OFL-1.1')] }
  })
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: dateline },
    components: [node, ...libraries, ...fonts],
    dependencies: [
      { ref: dateline['bom-ref'], dependsOn: [node['bom-ref'], ...fonts.map((font) => font['bom-ref'])] },
      { ref: node['bom-ref'], dependsOn: libraries.map((library) => library['bom-ref']) },
      ...[...libraries, ...fonts].map((one) => ({ ref: one['bom-ref'] })),
    ],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function component(type: Component['type'], shortName: string, version: string): Component {
  const name = NAMES[shortName] ?? shortName
  const purl = `pkg:${FROM_NPM.includes(name) ? 'npm' : 'generic'}/${name}@${encodeURIComponent(version)}`
  return { type, 'bom-ref': purl, name, version, purl }
}

function licensed(type: Component['type'], shortName: string, version: string): Component {
  const found = LICENSES[shortName]
  if (found === undefined) throw new Error(`No licence of ${shortName} is known: add it to ${import.meta.filename}`)
  return { ...component(type, shortName, version), licenses: [license(found)] }
}

function license(text: string): License {
  if (text.includes(' AND ')) return { expression: text }
  return { license: text.includes(' ') ? { name: text } : { id: text } }
}
