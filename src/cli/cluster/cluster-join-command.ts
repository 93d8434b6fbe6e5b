/** `dateline cluster join`: makes this machine a node, with the keys and a copy of the data of a member. */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { systemClock } from '../../base/clock.ts'
import { sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { systemReason } from '../../base/system-error.ts'
import { VERSION } from '../../base/version.ts'
import { clusterKeysOf } from '../../cluster/cluster-keys.ts'
import { ClusterSettingError, parseNodeUrl } from '../../cluster/etcd-target.ts'
import { createMembership, JOINED } from '../../cluster/membership.ts'
import { adoptDraft, newNode, readDraft, readIdentity, removeDraft, writeDraft } from '../../cluster/node-identity.ts'
import { downloadSnapshot, PeerError, requestHandover, type Handover, type Peer } from '../../cluster/peer-requests.ts'
import { requireRestored } from '../../store/backup/unfinished-restore.ts'
import { filePosition } from '../../store/cluster/position-table.ts'
import { DataDirError, discardDataDir, ownDataDir, prepareDataDir, type DataDir } from '../../store/db/data-dir.ts'
import { removeFilesBeside } from '../../store/db/database-files.ts'
import { openDatabase } from '../../store/db/database.ts'
import { SCHEMA, schemaVersion } from '../../store/schema/migrate.ts'
import { EXIT, UsageError, type Command, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { firstLineOf } from '../first-line.ts'
import { abortOn, progressOn } from '../progress.ts'
import { withEtcd, type Reached } from './member.ts'

export const clusterJoinCommand: Command = {
  name: 'cluster join',
  summary: 'make this machine a node of a cluster, with an empty data directory',
  options: [
    { flag: '--from', value: 'URL', meaning: 'a node, over https:// or on this machine' },
    { flag: '--token', value: 'TOKEN', meaning: 'from "dateline cluster token" on a node; works once; - reads stdin, so that no list of processes has it' },
  ],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster join --cluster https://e1:2379 --from https://n1.example.org --token - < token'],
  async run(args, terminal) {
    const url = nodeUrl(args.options.get('--from'))
    const given = args.options.get('--token')
    if (given === undefined) throw new UsageError('--token is missing: make one with "dateline cluster token" on a node')
    const token = given === '-' ? (await firstLineOf(terminal.stdin, 'the token of "dateline cluster token"')).trim() : given
    return withEtcd(args, terminal, async (reached) => {
      const { config, target, found } = reached
      // Before the token is used: it works once.
      if (found === undefined) {
        throw new ClusterSettingError(`Cannot join: there is no log at ${target.prefix} in this etcd: check --cluster and --cluster-prefix`)
      }
      const dir = prepareDataDir(config.dataDir)
      const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
      let isDone = false
      try {
        requireRestored(dir.path)
        requireEmpty(dir)
        try {
          const handover = await requestHandover({ url, ca: target.ca }, token)
          await become(dir, handover, { reached, url, terminal })
          isDone = true
        } finally {
          if (!isDone) removeJoined(dir)
        }
      } finally {
        lock.release()
        if (!isDone) discardDataDir(dir)
      }
      terminal.stdout.write('Now start it: dateline serve with the same --cluster\n')
      return EXIT.ok
    })
  },
}

function nodeUrl(given: string | undefined): string {
  if (given === undefined) throw new UsageError('--from is missing: name a node, such as https://n1.example.org')
  try {
    return parseNodeUrl(given)
  } catch (error) {
    throw new UsageError(`Cannot use --from: ${systemReason(error)}`)
  }
}

/** A database without content is that of a command that was refused. Removes what an interrupted join has left. */
function requireEmpty(dir: DataDir): void {
  const isEmpty = statSync(dir.database).size === 0
  if (isEmpty && readDraft(dir.path, 'join') !== undefined) removeJoined(dir)
  if (isEmpty && !existsSync(dir.secrets) && readIdentity(dir.path) === undefined) return
  throw new DataDirError(
    `Cannot join with the data directory "${dir.path}": it has data already: name an empty one with --data-dir, move this one away, or make a cluster of it with "dateline cluster init"`,
  )
}

interface Joining {
  readonly reached: Reached
  readonly url: string
  readonly terminal: Terminal
}

async function become(dir: DataDir, handover: Handover, { reached, url, terminal }: Joining): Promise<void> {
  const { site, prefix, node: to, secrets } = handover
  const { etcd, target, found } = reached
  if (site !== found?.site || prefix !== target.prefix) {
    throw new PeerError(`Cannot join: the node at ${url} is of another site, at ${prefix}: check --cluster and --cluster-prefix`)
  }
  const identity = { node: newNode(), site }
  writeDraft(dir.path, 'join', identity)
  writeFileSync(dir.secrets, `${secrets.join('\n')}\n`, { flag: 'wx', mode: 0o600 })
  const peer: Peer = { url, ca: target.ca, signal: abortOn(terminal.interrupted) }
  const progress = progressOn(terminal, 'Copying the data')
  const partial = `${dir.database}.joining`
  const { sign: signKey, seal: sealKey } = clusterKeysOf(secrets)
  const request = { node: identity.node, to, signKey, now: systemClock, file: partial, onProgress: progress.show }
  const membership = createMembership({ etcd, prefix, sealKey })
  const { node } = identity
  await downloadSnapshot(peer, request).finally(progress.end)
  const { bytes, position } = requireUsable(partial, site, url)
  const now = systemClock()
  const known = { node, url: undefined, version: VERSION, state: JOINED, time: now, startedAt: now, snapshot: undefined }
  // Until it starts, so that it is shown, the log waits for it, and it can be removed.
  await membership.write({ ...known, position, durable: position, schema: SCHEMA })
  renameSync(partial, dir.database)
  adoptDraft(dir.path, 'join')
  terminal.stdout.write(`Joined the cluster at ${prefix} as node ${identity.node}: ${sizeText(bytes)} copied\n`)
}

/** Throws PeerError for a file that is not of the site, and SchemaError for one of a newer program. */
function requireUsable(file: string, site: string, url: string): { readonly bytes: number; readonly position: number } {
  const place = filePosition(file)
  if (place?.site !== site) throw new PeerError(`Cannot join: what the node at ${url} sent is not of this site`)
  const database = openDatabase(file, { readOnly: true })
  try {
    schemaVersion(database, { version: VERSION })
    const size = database.get('SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()')
    return { bytes: Number(size?.['n']), position: place.position }
  } finally {
    database.close()
    removeFilesBeside(file)
  }
}

/** A directory that was left half made could not be joined with. */
function removeJoined(dir: DataDir): void {
  for (const file of [dir.secrets, `${dir.database}.joining`]) rmSync(file, { force: true })
  removeDraft(dir.path, 'join')
}
