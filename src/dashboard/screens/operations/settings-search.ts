/** Which settings a text is found in. */
import type { ServiceSettings } from '../../../models/responses.ts'

type Items = ServiceSettings['items']

/** Those that have every word of the text somewhere, in any case; also in `wordsOf`, which is what a page says of one. */
export function settingsWith(items: Items, text: string, wordsOf: (item: Items[number]) => string = () => ''): Items {
  const words = text.toLowerCase().split(/\s+/)
  return items.filter((item) => {
    const { name, flag, value, origin, meaning } = item
    const whole = [name, flag, value, origin, meaning, wordsOf(item)].join('\n').toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
