/**
 * `dateline check`: everything that the service needs, one line each: ok, or what to do. Changes nothing, takes no
 * lock, and works beside a running service.
 */
import { systemClock } from '../../base/clock.ts'
import { systemReason } from '../../base/system-error.ts'
import { exposureWarnings } from '../../config/exposed-files.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets } from '../../config/secrets.ts'
import { SETTINGS, type Config } from '../../config/settings.ts'
import { readMailSettings } from '../../mail/settings/mail-settings.ts'
import { EXIT, JSON_FLAG, type Command } from '../command.ts'
import { checksOf, type Check } from './service-checks.ts'

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
  summary: 'look at settings, data, disk, mail and clock, and say what is to be done; also while the service runs',
  options: [JSON_FLAG],
  settings: SETTINGS.map(({ name }) => name),
  examples: ['dateline check', 'dateline check --data-dir /srv/dateline --mail smtp://mail.example.org'],
  async run({ options, settings }, terminal) {
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
      return 'can be used'
    })
    if (config !== undefined) {
      const exposed = exposureWarnings(settings, environment)
      for (const [name, check] of checksOf(config, environment, exposed)) await run(name, check)
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
