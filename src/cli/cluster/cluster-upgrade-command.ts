/** `dateline cluster upgrade`: brings the data of all nodes to the schema of this program. */
import { EXIT, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { withData } from '../with-services.ts'

export const clusterUpgradeCommand: Command = {
  name: 'cluster upgrade',
  summary: 'bring the data of all nodes to the schema of this program, once all of them run it',
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster upgrade --cluster https://e1:2379'],
  async run(args, terminal) {
    await withData(args, terminal, async ({ store: { replication } }) => {
      if (replication === undefined) return void terminal.stdout.write('This data directory belongs to no cluster: serve brings it up to date\n')
      const { present, known } = replication.schema()
      await replication.raiseSchema()
      terminal.stdout.write(present === known ? `The schema is ${known} already\n` : `Raised the schema from ${present} to ${known}\n`)
    })
    return EXIT.ok
  },
}
