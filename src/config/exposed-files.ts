/**
 * Warnings about files and directories of settings that other users of the machine may read or change. They are no
 * errors: a container mounts its secrets readable by all (mode 0444), and no chmod can change that. For the keys of
 * mail see base/setting-file.ts, for the data directory store/db/data-dir.ts and secret-file.ts.
 */
import { resolve } from 'node:path'
import { changeExposureOf, entryTo, exposureOf, keyExposureOf, replacementAbove } from '../base/file-mode.ts'
import { effectiveSettings, type EffectiveSetting } from './read-config.ts'
import { secretFile } from './secrets.ts'
import type { Config, Environment, SettingName } from './settings.ts'

/** One sentence for each such file, with the remedy. Missing files are left out. Throws ConfigError. */
export function exposureWarnings(flags: ReadonlyMap<SettingName, string>, environment: Environment): readonly string[] {
  const settings = new Map(effectiveSettings(flags, environment).map((setting) => [setting.name, setting]))
  const pathOf = (name: SettingName): string | undefined => settings.get(name)?.value as string | undefined
  const secret = secretFile(environment)
  const dataDir = String(settings.get('dataDir')?.value)
  const above = replacementAbove(dataDir)
  const mail = settings.get('mail')
  return [
    warning('the data directory', resolve(dataDir), entryTo, 'go-rwx'),
    above === undefined ? undefined : `the data directory: ${above}`,
    warning('the file of --tls-key', pathOf('tlsKey'), keyExposureOf),
    warning('the file of --token-file', pathOf('tokenFile'), exposureOf),
    warning(`the file of ${secret?.variable ?? ''}`, secret?.path, keyExposureOf),
    warning('the file of --config', pathOf('config'), [mail, settings.get('outboundProxy')].some(holdsPassword) ? keyExposureOf : changeExposureOf),
    // A user who can change this makes their own etcd server the one that is trusted.
    warning('the file of --cluster-ca', pathOf('clusterCa'), changeExposureOf),
    // A user who can change these can read the mail, and so the codes in it.
    warning('the file of --mail-ca', pathOf('mailCa'), changeExposureOf),
    // A user who can change this can change what feeds bring.
    warning('the file of --outbound-ca', pathOf('outboundCa'), changeExposureOf),
    warning('the program of --mail', programOf(mail), changeExposureOf, 'go-w'),
  ].filter((text) => text !== undefined)
}

/** A password in a setting that came from the settings file; the shown value masks one. */
function holdsPassword(setting: EffectiveSetting | undefined): boolean {
  return setting !== undefined && setting.source.startsWith(`${setting.name} in `) && setting.shown.includes('***')
}

/** Undefined also for a name that is searched in PATH. */
function programOf(mail: EffectiveSetting | undefined): string | undefined {
  const target = mail?.value as Config['mail'] | undefined
  return target?.kind === 'exec' && target.program.includes('/') ? target.program : undefined
}

function warning(
  name: string,
  path: string | undefined,
  exposure: (path: string) => string | undefined,
  remedy = '600',
): string | undefined {
  if (path === undefined) return undefined
  try {
    const problem = exposure(path)
    return problem === undefined ? undefined : `${name}: ${problem}: run chmod ${remedy} "${path}"`
  } catch {
    // An error is reported where the file is read.
    return undefined
  }
}
