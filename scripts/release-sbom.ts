/**
 * What is in the executable, as CycloneDX 1.6 JSON: Dateline, Node, and the libraries inside Node, which says itself
 * what it was built with (process.versions). It holds no time and no random number, so that it stays the same.
 */

/** Numbers of interfaces, not parts. */
const NO_PARTS = ['node', 'modules', 'napi']
/** Written in JavaScript and known to npm by the same name. */
const FROM_NPM = ['acorn', 'amaro', 'undici']
/** What the short names stand for, where the name of the project is another. */
const NAMES: Readonly<Record<string, string>> = { ares: 'c-ares', uv: 'libuv', tz: 'tzdata', unicode: 'unicode-data' }

interface Component {
  readonly type: 'application' | 'platform' | 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
}

/** The bill as text, for this version of ours and what process.versions tells. An empty version is no part. */
export function billOfMaterials(version: string, versions: Readonly<Record<string, string | undefined>>): string {
  const dateline = component('application', 'dateline', version)
  const node = component('platform', 'node', versions['node'] ?? '')
  const libraries = Object.entries(versions)
    .filter(([name, found]) => !NO_PARTS.includes(name) && found !== undefined && found !== '')
    .map(([name, found = '']) => component('library', name, found))
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: dateline },
    components: [node, ...libraries],
    dependencies: [
      { ref: dateline['bom-ref'], dependsOn: [node['bom-ref']] },
      { ref: node['bom-ref'], dependsOn: libraries.map((library) => library['bom-ref']) },
      ...libraries.map((library) => ({ ref: library['bom-ref'] })),
    ],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function component(type: Component['type'], shortName: string, version: string): Component {
  const name = NAMES[shortName] ?? shortName
  const purl = `pkg:${FROM_NPM.includes(name) ? 'npm' : 'generic'}/${name}@${encodeURIComponent(version)}`
  return { type, 'bom-ref': purl, name, version, purl }
}
