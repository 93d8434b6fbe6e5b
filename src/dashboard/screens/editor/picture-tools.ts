/** The ways to a picture of our own beside the address of one: a file that is chosen, dropped or pasted, and the library. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { pictureField } from '../../pictures.ts'
import { t } from '../../texts.ts'
import { openLibrary } from './picture-library.ts'
import { openSending } from './picture-sending.ts'

export interface PictureTools {
  readonly model: Model
  readonly client: Client
  readonly signal: AbortSignal
}

/** Adds them to a form that has the address of a picture; `area` takes files that are dropped or pasted. */
export function addPictureTools(form: HTMLElement, area: HTMLElement, { model, client, signal }: PictureTools): void {
  const name = pictureField(model)
  const input = name === undefined ? null : form.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  if (input === null || input.disabled || input.readOnly) return
  const use = (url: string): void => {
    input.value = url
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
  }
  const send = (file: File | undefined): void => {
    if (file !== undefined) void openSending(file, { client, use })
  }
  const chosen = h('input', {
    ...{ type: 'file', accept: 'image/*', hidden: true, tabindex: '-1', 'aria-hidden': 'true' },
    on: {
      change() {
        send(chosen.files?.[0])
        // The same file can be chosen again.
        chosen.value = ''
      },
    },
  })
  const tools = h(
    'div',
    { class: 'buttons picture-tools' },
    button([icon('picture'), t('picture.choose')], () => chosen.click(), { class: 'small' }),
    button(t('picture.earlier'), () => void openLibrary({ client, use, signal }), { class: 'small' }),
    h('span', { class: 'field-about' }, t('picture.drop')),
    chosen,
  )
  input.after(tools)
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault()
  })
  area.addEventListener('drop', (event) => {
    const file = imageIn(event.dataTransfer)
    if (file === undefined) return
    event.preventDefault()
    send(file)
  })
  area.addEventListener('paste', (event) => {
    // A table or a text that is copied elsewhere may come with a picture of itself.
    const file = event.clipboardData?.types.includes('text/plain') === true ? undefined : imageIn(event.clipboardData)
    if (file === undefined) return
    event.preventDefault()
    send(file)
  })
  signal.addEventListener('abort', () => fill(tools))
}

function imageIn(data: DataTransfer | null): File | undefined {
  return [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'))
}
