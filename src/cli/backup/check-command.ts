/**
 * `dateline check`: everything that the service needs, one line each: ok, or what to do. Changes nothing, takes no
 * lock, and works beside a running service.
 */
import { systemClock } from '../../base/clock.ts'
import { systemReason } from '../../base/system-error.ts'
import { readEtcdTarget } from '../../cluster/etcd-target.ts'
import { exposureWarnings } from '../../config/exposed-files.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets } from '../../config/secrets.ts'
import { serviceLinkWarnings } from '../../config/service-links.ts'
import { SETTINGS, type Config } from '../../config/settings.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { EXIT, JSON_FLAG, type Command } from '../command.ts'
import { clusterChecks } from './cluster-checks.ts'
import type { Check } from './check.ts'
import { checksOfData, checksOfUse } from './service-checks.ts'
import { judgeStored, readStored } from './stored-settings-check.ts'

const NAME_WIDTH = 11

interface Finding {
  readonly name: string
  readonly ok: boolean
  /** Whether there is something to do although the service can run. */
  readonly warning: boolean
  /** What was found; where it is not ok, also what to do. */
  readonly text: string
}

export const checkCommand: Command = {
  name: 'check',
  summary: 'examine settings, data, disk, mail, clock and cluster, and say what to do; also while the service runs',
  options: [JSON_FLAG],
  settings: SETTINGS.map(({ name }) => name),
  examples: ['dateline check', 'dateline check --data-dir /srv/dateline --mail smtp://mail.example.org'],
  async run(args, terminal) {
    const { options, settings } = args
    const { environment, stdout } = terminal
    const findings: Finding[] = []
    const run = async (name: string, check: Check): Promise<void> => {
      const finding = await findingOf(name, check)
      findings.push(finding)
      if (!options.has('--json'))
        stdout.write(`${markOf(finding)}  ${name.padEnd(NAME_WIDTH)} ${finding.text}\n`)
    }
    let config: Config | undefined
    await run('settings', () => {
      config = readConfig(settings, environment)
      readSecrets(environment)
      readMailSettings(config, { now: systemClock, environment })
      readEtcdTarget(config)
      const [ignored] = serviceLinkWarnings(environment)
      return ignored === undefined ? 'can be used' : { warning: `can be used; but ${ignored}` }
    })
    if (config !== undefined) {
      const exposed = exposureWarnings(settings, environment)
      const ofNode = config.cluster === undefined ? [] : clusterChecks(args, terminal)
      for (const [name, check] of checksOfData(config, environment, exposed)) await run(name, check)
      const stored = readStored(config, environment)
      const judged = stored && judgeStored(config, { ...stored, shown: shownSettings(settings, environment), environment })
      await run('stored', judged?.verdict ?? (() => ({ warning: 'settings in the database cannot be read: see above' })))
      const { config: inUse, hasStoredMail } = judged ?? { config, hasStoredMail: false }
      for (const [name, check] of [...checksOfUse(inUse, environment, hasStoredMail), ...ofNode]) await run(name, check)
    }
    const ok = findings.every((finding) => finding.ok)
    if (options.has('--json')) stdout.write(`${JSON.stringify({ ok, checks: findings })}\n`)
    return ok ? EXIT.ok : EXIT.failed
  },
}

async function findingOf(name: string, check: Check): Promise<Finding> {
  try {
    const found = await check()
    if (typeof found === 'string') return { name, ok: true, warning: false, text: oneLine(found) }
    return { name, ok: true, warning: true, text: oneLine(found.warning) }
  } catch (error) {
    return { name, ok: false, warning: false, text: oneLine(systemReason(error)) }
  }
}

function markOf({ ok, warning }: Finding): string {
  if (!ok) return 'FAIL'
  return warning ? 'warn' : 'ok  '
}

/** Text from elsewhere, such as a mail server's, must not move the cursor. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
}
