/** The dialog of one picture: shows it, asks what it shows and what of it must stay in sight. It sends a new one, or describes an old one. */
import type { Client } from '../../../client/client.ts'
import type { Picture } from '../../../models/responses.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { errorText } from '../../kit/states.ts'
import { ownPicture } from '../../pictures.ts'
import { shrinkPicture } from '../../shrunk-picture.ts'
import { t } from '../../texts.ts'

const ALT_CHARS_MAX = 1_000
const HASH = /[0-9a-f]{64}/
/** A step of the arrow keys, in hundredths. */
const STEP = 5
const STEPS: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

interface Sending {
  readonly client: Client
  readonly use: (url: string) => void
}

type Description = Pick<Picture, 'alt' | 'focus'>

/** Sends a file, and gives the address that it has then. */
export async function openSending(file: File, { client, use }: Sending): Promise<void> {
  const reading = shrinkPicture(file)
  await pictureDialog({
    described: { alt: '', focus: null },
    drawing: reading.then(({ canvas }) => canvas),
    confirm: t('picture.use'),
    async save({ alt, focus }, signal) {
      const { hash, url } = await client.admin.uploadPicture((await reading).bytes, { signal })
      if (alt !== '' || focus !== null) await client.admin.describePicture(hash, { alt, focus }, { signal })
      return () => use(url)
    },
  })
}

/** Describes a picture that the service keeps, by its address. Throws where the service does not tell what it knows of it. */
export async function openDescription(address: string, client: Client): Promise<void> {
  const [hash = ''] = HASH.exec(address) ?? []
  const { picture } = await client.admin.picture(hash)
  await pictureDialog({
    described: picture,
    drawing: Promise.resolve(h('img', { src: ownPicture(address), alt: '' })),
    confirm: t('save'),
    async save(description, signal) {
      await client.admin.describePicture(hash, description, { signal })
    },
  })
}

interface PictureDialogOptions {
  readonly described: Description
  /** Resolves with undefined where the browser cannot draw it. */
  readonly drawing: Promise<HTMLElement | undefined>
  readonly confirm: string
  /** May give what is done once the dialog is closed. */
  readonly save: (description: Description, signal: AbortSignal) => Promise<(() => void) | void>
}

async function pictureDialog({ described, drawing, confirm, save }: PictureDialogOptions): Promise<void> {
  const leaving = new AbortController()
  const place = h('div', { class: 'picture-focus' })
  const alt = h('textarea', { rows: 2, maxlength: ALT_CHARS_MAX, dir: 'auto', autofocus: true, value: described.alt })
  const problem = problemLine()
  const progress = h('progress', { hidden: true, 'aria-label': t('picture.sending') })
  const submit = h('button', { type: 'submit', class: 'primary', disabled: true }, confirm)
  let { focus } = described
  const form = submitForm(
    {},
    () => void send(),
    place,
    labelled(t('picture.alt'), alt),
    progress,
    problem,
    h('div', { class: 'buttons end' }, button(t('cancel'), () => dialog.close()), submit),
  )
  const dialog = openDialog({ title: t('picture.title'), body: form })
  void dialog.closed.then(() => leaving.abort())

  const drawn = await drawing
  submit.disabled = false
  if (drawn !== undefined) fill(place, focusPoint(drawn, focus ?? { x: 50, y: 50 }, (point) => void (focus = point)), h('p', { class: 'field-about' }, t('picture.focus')))

  async function send(): Promise<void> {
    submit.disabled = true
    progress.hidden = false
    fill(problem)
    try {
      const then = await save({ alt: alt.value.trim(), focus }, leaving.signal)
      dialog.close()
      then?.()
    } catch (error) {
      if (leaving.signal.aborted) return
      fill(problem, errorText(error))
    } finally {
      submit.disabled = false
      progress.hidden = true
    }
  }
}

/** The picture with a mark that a click or the arrow keys move. */
function focusPoint(drawn: HTMLElement, { x, y }: NonNullable<Picture['focus']>, onMoved: (point: NonNullable<Picture['focus']>) => void): HTMLElement {
  const mark = h('span', { class: 'focus-mark' })
  const show = (): void => {
    mark.style.left = `${x}%`
    mark.style.top = `${y}%`
  }
  const move = (toX: number, toY: number): void => {
    ;[x, y] = [toX, toY].map((part) => Math.round(Math.min(100, Math.max(0, part)))) as [number, number]
    show()
    onMoved({ x, y })
  }
  const element = button([drawn, mark], () => {}, {
    class: 'focus-point',
    'aria-label': t('picture.focus'),
  })
  element.addEventListener('click', ({ offsetX, offsetY, detail }) => {
    if (detail > 0) move((100 * offsetX) / element.clientWidth, (100 * offsetY) / element.clientHeight)
  })
  element.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(x + STEP * step[0], y + STEP * step[1])
  })
  show()
  return element
}
