/** The configuration of the apps, as a form or as JSON. */
import { remoteConfig } from '../../../models/remote-config.ts'
import { documentsOf } from '../../any-documents.ts'
import { configurationEditor, type ConfigurationEditor } from './configuration-editor.ts'
import { replaceQuery } from '../../screen-url.ts'
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { readInto } from '../../kit/read-into.ts'

export const configurationScreen: OpenScreen = (context) => {
  const { client, screenUrl } = context
  const title = t('model.remote_config')
  let editor: ConfigurationEditor | undefined
  let isJson = screenUrl.query.get('view') === 'json'
  const body = h('div', { class: 'configuration' })
  const saveButton = button(t('save'), save, { class: 'primary', disabled: true })
  const views = (['form', 'json'] as const).map((view) => button(t(`configuration.${view}`), () => choose(view === 'json')))
  choose(isJson)
  readInto(context, {
    element: body,
    lines: [4, 9, 7, 6],
    read: (options) => documentsOf(client, remoteConfig).get(remoteConfig.singleton ?? '', options),
    show(stored) {
      editor = configurationEditor(stored, context, () => (saveButton.disabled = editor?.hasUnsaved() !== true))
      return shown(editor)
    },
  })

  function choose(json: boolean): void {
    isJson = json
    replaceQuery(new URLSearchParams(json ? { view: 'json' } : {}))
    for (const [i, one] of views.entries()) one.setAttribute('aria-pressed', String((i === 1) === json))
    if (editor !== undefined) fill(body, shown(editor))
  }

  function shown({ current, element }: ConfigurationEditor): HTMLElement {
    return isJson ? jsonView(JSON.stringify(current(), null, 2)) : element
  }

  /** In the form, where problems have their places. */
  function save(): void {
    if (isJson) choose(false)
    void editor?.save()
  }

  const buttons = h('div', { class: 'buttons' }, h('div', { class: 'views' }, views), saveButton)
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
    h('div', { class: 'buttons' }, [copyButton(() => text)]),
    h('pre', { tabindex: 0, dir: 'ltr', 'aria-label': 'JSON' }, text),
  )
}
