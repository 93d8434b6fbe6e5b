/** The configuration of the apps, as a form or as JSON. */
import type { Stored } from '../../../client/client.ts'
import { remoteConfig } from '../../../models/remote-config.ts'
import { documentsOf, type StoredDocument } from '../../any-documents.ts'
import { configurationEditor, type ConfigurationEditor } from './configuration-editor.ts'
import { noteQuery } from '../../places.ts'
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { fill, h } from '../../kit/dom.ts'
import { failureState, isAbort, skeleton } from '../../kit/states.ts'
import { askToLeave } from '../../kit/unsaved.ts'

export const configurationScreen: OpenScreen = (context) => {
  const { client, signal, place } = context
  const title = t('configuration.title')
  let editor: ConfigurationEditor | undefined
  let isJson = place.query.get('view') === 'json'
  const body = h('div', { class: 'configuration' })
  const saveButton = h('button', { type: 'button', class: 'primary', disabled: true, on: { click: save } }, t('save'))
  const views = (['form', 'json'] as const).map((view) =>
    h('button', { type: 'button', on: { click: () => show(view === 'json') } }, t(`configuration.${view}`)),
  )

  async function load(): Promise<void> {
    fill(
      body,
      [4, 9, 7, 6].map((lines) => h('div', { class: 'card' }, skeleton(lines))),
    )
    try {
      open(await documentsOf(client, remoteConfig).get(remoteConfig.singleton ?? '', { signal }))
    } catch (error) {
      if (!isAbort(error))
        fill(
          body,
          failureState(error, () => void load()),
        )
    }
  }

  function open(stored: Stored<StoredDocument>): void {
    editor = configurationEditor(stored, context, () => (saveButton.disabled = editor?.hasUnsaved() !== true))
    show(isJson)
  }

  function show(json: boolean): void {
    isJson = json
    noteQuery(new URLSearchParams(json ? { view: 'json' } : {}))
    for (const [i, button] of views.entries()) button.setAttribute('aria-pressed', String((i === 1) === json))
    if (editor === undefined) return
    fill(body, json ? jsonView(JSON.stringify(editor.current(), null, 2)) : editor.element)
  }

  /** In the form, where problems have their places. */
  function save(): void {
    if (isJson) show(false)
    void editor?.save()
  }

  void load()
  const buttons = h('div', { class: 'buttons' }, h('div', { class: 'views' }, views), saveButton)
  show(isJson)
  return {
    title,
    element: h('section', {}, h('div', { class: 'screen-head staying' }, h('h1', {}, title), buttons), body),
    hasUnsaved: () => editor?.hasUnsaved() === true,
    mayLeave: askToLeave,
    save,
  }
}

/** To be read and copied. */
function jsonView(text: string): HTMLElement {
  return h(
    'div',
    { class: 'form' },
    h(
      'div',
      { class: 'buttons' },
      copyButton(() => text),
    ),
    h('pre', { tabindex: 0, dir: 'ltr', 'aria-label': 'JSON' }, text),
  )
}
