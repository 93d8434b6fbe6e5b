/** Asks before a request that changes something: what is tried here is done on the real data. */
import { h } from '../../kit/dom.ts'

/** True for yes; closing the dialog is a no. */
export async function askToWrite(method: string, path: string): Promise<boolean> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let answer = false
  const end = (given: boolean) => (): void => {
    answer = given
    dialog.close()
  }
  const dialog = h(
    'dialog',
    { class: 'question', 'aria-labelledby': 'write-title', on: { close: () => resolve() } },
    h('h2', { id: 'write-title' }, 'Send this request?'),
    h('p', {}, h('code', {}, `${method} ${path}`)),
    h('p', {}, 'It is done on the data of this service, and there is no undo here.'),
    h(
      'div',
      { class: 'buttons end' },
      h('button', { type: 'button', autofocus: true, on: { click: end(false) } }, 'Cancel'),
      h(
        'button',
        { type: 'button', class: method === 'DELETE' ? 'danger' : 'primary', on: { click: end(true) } },
        'Send it',
      ),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
  await closed
  dialog.remove()
  return answer
}
