/**
 * Tells a WebSub hub when public publications have changed (W3C WebSub section 6; hubs take the form of PubSubHubbub 0.4 section
 * 7): the hub then fetches the feeds and hands them to its subscribers. Each publication is told of once a minute at most.
 *
 * What the hub was told of is stored (store/publications/publication-rows.ts). So a restart tells of what changed meanwhile, a hub
 * that does not answer is told later, and of a change that leaves the feeds as they are nothing is told.
 */
import { MINUTE_MS, SECOND_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { repeat } from '../../base/repeating.ts'
import { systemReason } from '../../base/system-error.ts'
import { entityTag } from '../../http/entity-tag.ts'
import { headline } from '../../models/headline.ts'
import { publication, type PublicationDocument } from '../../models/publication-model.ts'
import type { OutboundClient } from '../../outbound/outbound-client.ts'
import { writeJsonFeed } from '../../publications/json-writers.ts'
import { FEEDS } from '../../publications/paper.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { documentsByTitle } from '../reads/documents-by-title.ts'
import { addressOfPublication } from './publication-addresses.ts'
import { readPaper, type PaperRequest } from './publication-reads.ts'

/** Its queries wait behind those of people. */
const CALLER = { id: 'service', class: 'guest' } as const
/** Of what a hub says, which is not read. */
const REPLY_BYTES_MAX = 64 * 1024
const REPLY_MS_MAX = 30 * SECOND_MS

export interface PingParts {
  readonly store: Pick<ReadStore, 'documents' | 'publications' | 'pictures' | 'versions'>
  /** The writer of the service. */
  readonly own: Pick<Writer, 'putPublicationPing'>
  readonly client: Pick<OutboundClient, 'send'>
  /** The settings in use. Without both, nothing is told. */
  readonly settings: () => { readonly websubHub: string | undefined; readonly publicUrl: string | undefined }
  /** Whether this process does it: of the nodes of a cluster, one does. */
  readonly isOnDuty?: (() => boolean) | undefined
  readonly metrics: Metrics
  readonly log: Log
}

/** Starts to look each minute. `wake` looks immediately. */
export function startPublicationPings({ store, own, client, settings, isOnDuty = () => true, metrics, log }: PingParts) {
  const stopping = new AbortController()
  const count = metrics.counter('dateline_publication_pings_total', 'Times that a WebSub hub was told of a publication, by how that ended.')
  /** What everything was told of at; undefined where something is left to tell. */
  let told: string | undefined

  const look = async (): Promise<number> => {
    const { websubHub: hub, publicUrl: site } = settings()
    if (hub === undefined || site === undefined || !isOnDuty()) return MINUTE_MS
    const state = `${hub} ${site} ${store.versions.of([headline, publication])}`
    if (state === told) return MINUTE_MS
    const pings = store.publications.publicationPings()
    let isAll = true
    for (const document of await documentsByTitle(store, publication, CALLER)) {
      if (stopping.signal.aborted) return MINUTE_MS
      if (document.visibility !== 'public' || document.isPaused) continue
      const base = addressOfPublication(site, document.name)
      const content = await contentOf(document, { site, base, hub })
      if (pings.get(document.id) === content) continue
      if (await tell(hub, base)) await own.putPublicationPing(document.id, content)
      else isAll = false
    }
    told = isAll ? state : undefined
    return MINUTE_MS
  }

  /** What a change of the feeds changes. */
  const contentOf = async (document: PublicationDocument, at: Pick<PaperRequest, 'site' | 'base' | 'hub'>): Promise<string> => {
    const paper = await readPaper(store, document, { choice: {}, cursor: undefined, limit: undefined, ...at }, CALLER)
    return entityTag(`${writeJsonFeed(paper)} ${paper.rights}`)
  }

  const tell = async (hub: string, base: string): Promise<boolean> => {
    const form = new URLSearchParams([['hub.mode', 'publish'], ...Object.values(FEEDS).map(({ file }) => ['hub.url', `${base}${file}`])])
    const body = Buffer.from(form.toString())
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
    try {
      const { status } = await client.send({ method: 'POST', url: hub, headers, body: [body], bodyBytesMax: REPLY_BYTES_MAX, totalMs: REPLY_MS_MAX, signal: stopping.signal })
      const isTold = status >= 200 && status < 300
      count({ outcome: isTold ? 'told' : 'failed' })
      if (!isTold) log.warn('publication.ping_failed', { publication: base, status })
      return isTold
    } catch (error) {
      if (stopping.signal.aborted) return false
      count({ outcome: 'failed' })
      log.warn('publication.ping_failed', { publication: base, reason: systemReason(error) })
      return false
    }
  }

  const onError = (error: unknown): number => {
    log.error('job.failed', { job: 'publications', reason: systemReason(error) })
    return MINUTE_MS
  }
  const work = repeat(look, { firstMs: MINUTE_MS, onError })
  return {
    wake: work.wake,
    async stop(): Promise<void> {
      stopping.abort()
      await work.stop()
    },
  }
}
