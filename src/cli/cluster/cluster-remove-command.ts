/** `dateline cluster remove`: takes a node that will not come back out of the cluster. */
import { resolve } from 'node:path'
import { EXIT, UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { epochsOf, withMember } from './member.ts'

export const clusterRemoveCommand: Command = {
  name: 'cluster remove',
  summary: 'remove a stopped node from the cluster, so that the log need not wait for it',
  operands: [{ name: 'NODE', meaning: 'its id, as "dateline cluster status" shows it' }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster remove 0123456789abcdef --cluster https://e1:2379'],
  run: (args, terminal) =>
    withMember(args, terminal, async ({ config, etcd, target, identity, membership }) => {
      const [node = ''] = args.operands
      const epochs = epochsOf(resolve(config.dataDir), identity, { etcd, target }, terminal)
      const found = (await membership.list()).nodes.find((one) => one.node === node)
      // A node of which a join was interrupted has no record.
      const isKnown = found !== undefined || (await epochs.receivers()).includes(node)
      if (!isKnown) throw new UsageError(`There is no node "${node.slice(0, 40)}": see "dateline cluster status"`)
      if (found?.isAlive === true) throw new UsageError(`Cannot remove node ${node}: it is running: stop it first`)
      await membership.remove(node)
      // What is written from here on, the node cannot read.
      await epochs.remove(node)
      await epochs.rotate()
      terminal.stdout.write(`Removed node ${node}. To use its machine again, join with an empty data directory\n`)
      return EXIT.ok
    }),
}
