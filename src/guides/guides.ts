/** The manual: a guide for each topic, from data/guides. The executable has them inside. */
import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

export interface Guide {
  readonly topic: string
  readonly about: string
}

/** In the order of reading. */
export const GUIDES: readonly Guide[] = [
  { topic: 'api', about: 'endpoints, rights, versions, limits and errors' },
  { topic: 'queries', about: 'filters, sorting, pages and speed' },
  { topic: 'client', about: 'the TypeScript client' },
  { topic: 'offline', about: 'apps that go on without a network, with RxDB' },
  { topic: 'dashboard', about: 'lists, editing, keys, and what administrators do there' },
  { topic: 'settings', about: 'flags, variables, the data directory and its permissions' },
  { topic: 'mail', about: 'relays, providers, certificates, DKIM and your own texts' },
  { topic: 'backups', about: 'backup, restore and the audit trail' },
  { topic: 'moving-data', about: 'export and import, JSON lines and CSV' },
  { topic: 'feeds', about: 'headlines from RSS, Atom and JSON Feed' },
  { topic: 'publications', about: 'a page and feeds that people read without an account' },
  { topic: 'pictures', about: 'pictures of your own: formats, addresses, and when they go' },
  { topic: 'operations', about: 'commands, systemd, containers, proxy, TLS, metrics, log, upgrades' },
  { topic: 'clustering', about: 'several nodes over etcd: three machines, failures, upgrades, sizing' },
  { topic: 'embedding', about: 'Dateline as the local backend of an app' },
  { topic: 'security', about: 'limits, keys, data, OWASP ASVS' },
  { topic: 'contributing', about: 'layers, glossary, how a request travels, and where to change what' },
  { topic: 'testing', about: 'tests, benchmarks, fuzzing, drills, conformance, and the gate' },
]

/** The Markdown of a topic's guide. */
export function readGuide(topic: string): string {
  const file = `${topic}.md`
  return isSea() ? getAsset(file, 'utf8') : readFileSync(new URL(`../../data/guides/${file}`, import.meta.url), 'utf8')
}
