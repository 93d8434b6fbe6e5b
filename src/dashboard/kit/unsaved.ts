/** Asks before something is lost that was not saved. */
import { t } from '../texts.ts'
import { ask } from './dialog.ts'

/** True where the reader lets it go. */
export function askToLeave(): Promise<boolean> {
  return ask({
    title: t('unsaved.title'),
    text: t('unsaved.text'),
    confirm: t('unsaved.leave'),
    isDangerous: true,
  })
}
