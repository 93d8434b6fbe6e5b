/** `dateline cluster token`: a token with which one machine can join. */
import { createJoinTokens, TOKEN_MINUTES_MAX } from '../../cluster/join-tokens.ts'
import { EXIT, UsageError, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { withMember } from './member.ts'

const MINUTES = 15

export const clusterTokenCommand: Command = {
  name: 'cluster token',
  summary: 'make a token with which one machine can join the cluster, on a node',
  options: [{ flag: '--minutes', value: 'N', meaning: `how long it lasts, up to ${TOKEN_MINUTES_MAX} (default ${MINUTES})` }],
  settings: DATA_SETTINGS,
  examples: ['dateline cluster token --cluster https://e1:2379 --minutes 60'],
  run(args, terminal) {
    const minutes = readMinutes(args.options.get('--minutes'))
    return withMember(args, terminal, async ({ etcd, target }) => {
      const token = await createJoinTokens(etcd, target.prefix).make(minutes)
      terminal.stdout.write(`${token}\n`)
      if (terminal.stderrIsTerminal) {
        terminal.stderr.write(`It works once, within ${minutes} minutes, and gives all data and keys of the site away: send it over a safe way\n`)
      }
      return EXIT.ok
    })
  },
}

function readMinutes(given: string | undefined): number {
  if (given === undefined) return MINUTES
  const minutes = /^\d{1,4}$/.test(given) ? Number(given) : 0
  if (minutes >= 1 && minutes <= TOKEN_MINUTES_MAX) return minutes
  throw new UsageError(`Cannot use --minutes: expected a whole number from 1 to ${TOKEN_MINUTES_MAX}, found "${given}"`)
}
