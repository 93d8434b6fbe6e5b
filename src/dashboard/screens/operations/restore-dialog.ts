/** Restoring a backup: what it holds, the typed confirmation, and the wait until the service runs again. */
import { DatelineError } from '../../../client/client.ts'
import type { CheckedBackup, LastRestore } from '../../../models/responses.ts'
import { modelNamed } from '../../../models/registry.ts'
import { countTitle } from '../../model-titles.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { pause } from '../../timing.ts'
import { ask } from '../../kit/dialog.ts'
import { h, type Child } from '../../kit/dom.ts'
import { facts } from '../../kit/elements.ts'
import { byteSize, dateTime, dateTimeText } from '../../kit/moments.ts'
import { settingTitle } from './setting-fields.ts'

/** Between two looks at a service that starts again. */
const LOOK_MS = 700
const UNAUTHORIZED = 401

type Outcome = NonNullable<LastRestore['restore']>

/** Asks whether to restore a backup that was checked; true for yes. */
export function confirmRestore(checked: CheckedBackup): Promise<boolean> {
  return ask({
    title: t('restore.title'),
    text: [
      h('p', {}, t('restore.about', { date: dateTimeText(checked.createdAt) })),
      factsOf(checked),
      h('p', {}, t('restore.kept')),
      checked.removed.apiTokens + checked.removed.passkeys > 0 &&
        h('p', { class: 'banner' }, t('restore.removed', { tokens: String(checked.removed.apiTokens), passkeys: String(checked.removed.passkeys) })),
      ...differences(checked.differs),
      checked.account !== 'administrator' && h('p', { class: 'banner' }, t(`restore.${checked.account}`)),
    ],
    confirm: t('restore.confirm'),
    isDangerous: true,
    typed: checked.name,
  })
}

function differences({ administrators, settings }: CheckedBackup['differs']): readonly Child[] {
  return [
    administrators.length > 0 && h('p', { class: 'banner' }, t('restore.administrators', { emails: administrators.join(' · ') })),
    settings.length > 0 && h('p', { class: 'banner' }, t('restore.settings', { names: settings.map(settingTitle).join(' · ') })),
  ]
}

/** How many documents of each model that people write. */
export function contentText(documents: CheckedBackup['documents']): string {
  const counts = documents.flatMap(({ model: name, count }) => {
    const model = modelNamed(name)
    return model === undefined || count === 0 || model.owned === true || model.singleton !== undefined ? [] : [countTitle(model, count)]
  })
  return counts.join(' · ')
}

function factsOf({ documents, bytes, newestAt }: CheckedBackup): HTMLElement {
  return facts(
    [t('backups.size'), byteSize(bytes)],
    newestAt !== null && [t('restore.newest'), dateTime(newestAt)],
    [t('restore.holds'), contentText(documents)],
  )
}

/** Waits until a service that restores runs again. Undefined where the reader has to sign in again. */
export async function awaitRestart({ client, signal }: ScreenContext, before: string | undefined): Promise<Outcome | undefined> {
  while (!signal.aborted) {
    await pause(LOOK_MS)
    try {
      const { restore } = await client.admin.lastRestore({ signal })
      if (restore !== null && restore.at !== before) return restore
    } catch (error) {
      if (error instanceof DatelineError && error.status === UNAUTHORIZED) return undefined
    }
  }
  return undefined
}
