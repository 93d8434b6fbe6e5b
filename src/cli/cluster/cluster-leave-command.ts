/** `dateline cluster leave`: makes the data directory of a stopped node one that runs alone again. */
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { removeIdentity } from '../../cluster/node-identity.ts'
import { forgetPosition } from '../../store/cluster/position-table.ts'
import { ownDataDir, prepareDataDir } from '../../store/db/data-dir.ts'
import { EXIT, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { withMember } from './member.ts'

export const clusterLeaveCommand: Command = {
  name: 'cluster leave',
  summary: 'remove this data directory from its cluster, so that it can be used alone; not while the service runs',
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster leave --cluster https://e1:2379'],
  run: (args, terminal) =>
    withMember(args, terminal, async ({ config, identity, membership }) => {
      const dir = prepareDataDir(config.dataDir)
      const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
      try {
        await membership.remove(identity.node)
        forgetPosition(dir.database)
        removeIdentity(dir.path)
      } finally {
        lock.release()
      }
      terminal.stdout.write(`${dir.path} is no node any more: what it has from here on, no other node gets\n`)
      return EXIT.ok
    }),
}
