/** Deletes the document that is being edited: the reader is back at the list at once, and undoing leads back here. */
import type { Model } from '../../../models/schema.ts'
import { labelOf, type Documents, type StoredDocument } from '../../any-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { currentScreenUrl, goTo, hrefTo } from '../../screen-url.ts'
import { removeWithUndo } from '../../removal.ts'
import { t } from '../../texts.ts'

/** Of a title in the notice, which is to leave the page in sight. */
const LABEL_CHARS_MAX = 60

export function removeAndLeave(model: Model, documents: Documents, removed: StoredDocument): void {
  const path = pathOf(model)
  removeWithUndo({
    documents,
    ids: [removed.id],
    notice: t('removal.done', { label: shortened(labelOf(removed)) }),
    onBack() {
      // Who went on to something else stays there.
      if (currentScreenUrl().segments.join('/') === path) goTo(hrefTo([path, removed.id]))
    },
  })
  goTo(hrefTo([path]))
}

function shortened(label: string): string {
  const signs = [...label]
  return signs.length > LABEL_CHARS_MAX ? `${signs.slice(0, LABEL_CHARS_MAX).join('')}…` : label
}
