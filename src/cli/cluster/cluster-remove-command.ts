/** `dateline cluster remove`: takes a node that will not come back out of the cluster. */
import { fail } from '../../base/failure.ts'
import { EXIT, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { withMember } from './member.ts'

export const clusterRemoveCommand: Command = {
  name: 'cluster remove',
  summary: 'remove a stopped node from the cluster, so that the log need not wait for it',
  operands: [{ name: 'NODE', meaning: 'its id, as "dateline cluster status" shows it' }],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster remove 0123456789abcdef --cluster https://e1:2379'],
  run: (args, terminal) =>
    withMember(args, terminal, async ({ membership }) => {
      const [node = ''] = args.operands
      const found = (await membership.list()).nodes.find((one) => one.node === node)
      if (found === undefined) throw fail('notFound', `There is no node "${node.slice(0, 40)}": see "dateline cluster status"`)
      if (found.isAlive) throw fail('conflict', `Cannot remove node ${node}: it is running: stop it first`)
      await membership.remove(node)
      terminal.stdout.write(`Removed node ${node}. To use its machine again, join with an empty data directory\n`)
      return EXIT.ok
    }),
}
