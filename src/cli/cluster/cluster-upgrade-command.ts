/** `dateline cluster upgrade`: brings the data of all nodes to the schema of this program. */
import { resolve } from 'node:path'
import { VERSION } from '../../base/version.ts'
import type { KnownNodes } from '../../cluster/membership.ts'
import { readIdentity } from '../../cluster/node-identity.ts'
import { readConfig } from '../../config/read-config.ts'
import { SCHEMA, schemaOfFile } from '../../store/schema/migrate.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import { EXIT, UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { withData } from '../with-services.ts'
import { withMember } from './member.ts'

export const clusterUpgradeCommand: Command = {
  name: 'cluster upgrade',
  summary: 'bring the data of all nodes to the schema of this program, once all of them run it',
  options: [{ flag: '--force', meaning: 'although a running node has an older program: it leaves service' }],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster upgrade --cluster https://e1:2379'],
  async run(args, terminal) {
    const directory = resolve(readConfig(args.settings, terminal.environment).dataDir)
    if (readIdentity(directory) === undefined) {
      terminal.stdout.write('This data directory belongs to no cluster: serve brings it up to date\n')
      return EXIT.ok
    }
    const present = schemaOfFile(databaseFile(directory), VERSION)
    const listed = await withMember(args, terminal, ({ membership }) => membership.list())
    const older = present === SCHEMA ? [] : olderNodes(listed, SCHEMA)
    if (older.length > 0 && !args.options.has('--force')) {
      throw new UsageError(
        `Cannot raise the schema from ${present} to ${SCHEMA}: ${older.join('; ')}: ` +
          'replace their programs first, or let them leave service with --force',
      )
    }
    // A node raises the schema where it is opened.
    await withData(args, terminal, () => Promise.resolve())
    const done = present === SCHEMA ? `The schema is ${SCHEMA} already` : `Raised the schema from ${present} to ${SCHEMA}`
    terminal.stdout.write(`${done}\n`)
    return EXIT.ok
  },
}

/** What keeps the schema from being raised: nodes that live and cannot read it, a text each. */
export function olderNodes({ nodes, strangers }: KnownNodes, schema: number): readonly string[] {
  const older = nodes.filter((one) => one.isAlive && (one.schema ?? 0) < schema)
  return [
    ...older.map(({ node, url, version, schema: known }) => `node ${node} (${url ?? 'no URL'}) runs version ${version}, which knows ${known === undefined ? 'no schema as new' : `schema ${known}`}`),
    ...strangers.map((node) => `node ${node} has other secrets, and its version is not known`),
  ]
}
