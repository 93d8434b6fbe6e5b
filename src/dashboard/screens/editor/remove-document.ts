/** Deletes the document that is being edited: the reader is back at the list immediately, and undoing leads back here. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { rememberRemoved } from '../../changed-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { currentScreenUrl, goTo, hrefTo } from '../../screen-url.ts'
import { removeWithUndo } from '../../removal.ts'
import { t } from '../../texts.ts'

/** Of a title in the notice, which is to leave the page in sight. */
const LABEL_CHARS_MAX = 60

export function removeAndLeave(model: Model, client: Client, document: StoredDocument, replaceBy?: string): void {
  const path = pathOf(model)
  rememberRemoved(document.id, labelOf(document))
  void removeWithUndo({
    ...{ client, model, replaceBy },
    ids: [document.id],
    notice: () => t('removal.done', { label: shortened(labelOf(document)) }),
    onBack() {
      // Who went on to something else stays there.
      if (currentScreenUrl().segments.join('/') === path) goTo(hrefTo([path, document.id]))
    },
  })
  goTo(hrefTo([path]))
}

function shortened(label: string): string {
  const signs = [...label]
  return signs.length > LABEL_CHARS_MAX ? `${signs.slice(0, LABEL_CHARS_MAX).join('')}…` : label
}
