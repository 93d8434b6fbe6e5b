/** Files for the start of a site of one's own, from examples. The executable has them inside, and archives beside it. */
import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

export interface Example {
  readonly name: string
  /** The path in examples. */
  readonly file: string
  readonly about: string
}

export const EXAMPLES: readonly Example[] = [
  { name: 'systemd', file: 'machine/dateline.service', about: 'unit of systemd, with few rights' },
  { name: 'socket', file: 'machine/dateline.socket', about: 'socket of systemd beside that unit' },
  { name: 'settings', file: 'machine/dateline.json', about: 'settings behind a proxy on the same machine, for /etc/dateline' },
  { name: 'caddy', file: 'machine/Caddyfile', about: 'Caddy on the same machine' },
  { name: 'nginx', file: 'machine/nginx.conf', about: 'nginx on the same machine' },
  { name: 'dockerfile', file: 'container/Dockerfile', about: 'image of the executable, without a shell' },
  { name: 'compose', file: 'container/compose.yaml', about: 'that image behind Caddy' },
  { name: 'compose-caddy', file: 'container/Caddyfile', about: 'the Caddyfile beside compose.yaml' },
  { name: 'kubernetes', file: 'container/kubernetes.yaml', about: 'service and pod with a volume and probes' },
]

/** The key of an example in the executable. */
export function exampleAsset({ name }: Example): string {
  return `example-${name}`
}

export function readExample(example: Example): string {
  if (isSea()) return getAsset(exampleAsset(example), 'utf8')
  return readFileSync(new URL(`../../examples/${example.file}`, import.meta.url), 'utf8')
}
