/**
 * The ways to a picture of our own beside the address of one: a file that is chosen, dropped or pasted, and the library. What is
 * there is described and removed beside it. Their dialogs are in the second script.
 */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { ownPicture, pictureField } from '../../pictures.ts'
import { loadPictureDialogs } from '../../screen-loading.ts'
import { t } from '../../texts.ts'

export interface PictureTools {
  readonly model: Model
  readonly client: Client
  readonly signal: AbortSignal
}

type Dialogs = Awaited<ReturnType<typeof loadPictureDialogs>>

/**
 * Adds them to a form that has the address of a picture; `area` takes files that are dropped or pasted. Gives a function that shows
 * what can be done with the address as it is by now.
 */
export function addPictureTools(form: HTMLElement, area: HTMLElement, { model, client, signal }: PictureTools): () => void {
  const name = pictureField(model)
  const input = name === undefined ? null : form.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  if (input === null || input.disabled || input.readOnly) return () => {}
  const use = (url: string): void => {
    input.value = url
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
  }
  const open = (run: (dialogs: Dialogs) => Promise<void>): void => void loadPictureDialogs().then(run).catch(notifyFailure)
  const send = (file: File | undefined): void => {
    if (file !== undefined) open(({ openSending }) => openSending(file, { client, use }))
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
  const small = { class: 'small' }
  const describe = button(t('picture.describe'), () => open(({ openDescription }) => openDescription(input.value, client)), small)
  const remove = button(t('picture.remove'), () => use(''), small)
  const hint = h('span', { class: 'field-about' }, t('picture.drop'))
  const tools = h(
    'div',
    { class: 'buttons picture-tools' },
    button([icon('picture'), t('picture.choose')], () => chosen.click(), small),
    button(t('picture.earlier'), () => open(({ openLibrary }) => openLibrary({ client, use, signal })), small),
    describe,
    remove,
    hint,
    chosen,
  )
  input.before(tools)
  input.placeholder = 'https://'
  const showDrop = (isOver: boolean): void => void area.classList.toggle('dropping', isOver)
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    showDrop(true)
  })
  area.addEventListener('dragleave', ({ relatedTarget }) => showDrop(relatedTarget instanceof Node && area.contains(relatedTarget)))
  area.addEventListener('drop', (event) => {
    showDrop(false)
    const file = imageIn(event.dataTransfer) ?? event.dataTransfer?.files[0]
    if (file === undefined) return
    // The browser would leave the page for a file that it can show.
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
  return () => {
    remove.hidden = input.value === ''
    hint.hidden = input.value !== ''
    describe.hidden = ownPicture(input.value) === undefined
  }
}

function imageIn(data: DataTransfer | null): File | undefined {
  return [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'))
}
