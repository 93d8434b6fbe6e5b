/** `dateline repair references`: compares all copies of documents with what they are copies of, beside a service or without one. */
import { startReferenceWork } from '../../app/references/reference-work.ts'
import { counted } from '../../base/counted.ts'
import { fail } from '../../base/failure.ts'
import { createLog } from '../../base/log.ts'
import { systemClock } from '../../base/clock.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_FLAG, type Command } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { progressOn } from '../progress.ts'
import { withData } from '../with-services.ts'

export const repairReferencesCommand: Command = {
  name: 'repair references',
  summary: 'bring all copies of documents that are behind up to date; also while the service runs',
  options: [JSON_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline repair references'],
  run: (args, terminal) =>
    withData(args, terminal, async ({ store, metrics }) => {
      const own = store.as(OPERATOR)
      await own.record(commandRecord('repair references'))
      await own.beginReferenceRepair()
      const progress = progressOn(terminal, 'Comparing copies')
      const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void terminal.stderr.write(text) })
      let repaired = 0
      const working = startReferenceWork({
        ...{ store, metrics, log, isOnDuty: undefined },
        onStep({ changed, progress: { work } }) {
          repaired += changed
          if (work?.kind === 'repair') progress.show(Math.min(1, work.done / Math.max(1, work.total)))
        },
      })
      await working.idle().finally(progress.end)
      await working.stop()
      if (store.references.progress().work !== undefined) throw fail('networkError', 'Cannot finish the repair: the service continues it')
      terminal.stdout.write(args.options.has('--json') ? `${JSON.stringify({ repaired })}\n` : `Brought ${counted(repaired, 'document')} up to date\n`)
    }),
}
