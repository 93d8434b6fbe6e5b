/** Who else has the document of an editor open. */
import { askNames, titleOfPerson } from '../../people.ts'
import type { ScreenContext } from '../../screen.ts'
import { listText, t } from '../../texts.ts'
import { avatar } from '../../kit/avatar.ts'
import { fill, h } from '../../kit/dom.ts'

export function presenceLine(model: string, context: ScreenContext) {
  const { live, signal } = context
  const element = h('p', { class: 'presence', role: 'status' })
  let shown: string | undefined
  let newest: readonly string[] = []
  let leave = (): void => {}
  signal.addEventListener('abort', () => leave())

  async function show(people: readonly string[]): Promise<void> {
    newest = people
    if (people.length > 0) await askNames(people, context, signal)
    if (signal.aborted || newest !== people) return
    const names = people.map(titleOfPerson)
    const words = listText(names)
    fill(element, names.length > 0 && [names.map(avatar), h('span', {}, t('editor.present', { count: names.length, names: words }))])
  }

  return {
    element,
    /** Undefined for a document that is not stored yet. */
    update(id: string | undefined): void {
      if (signal.aborted || id === shown) return
      leave()
      shown = id
      void show([])
      leave = id === undefined ? () => {} : live.edit(`${model}:${id}`, (people) => void show(people))
    },
  }
}
