/** Which settings a text is found in. */
import type { ServiceSettings } from '../../../models/responses.ts'

/** Those that have every word of the text somewhere, in any case. */
export function settingsWith(items: ServiceSettings['items'], text: string): ServiceSettings['items'] {
  const words = text.toLowerCase().split(/\s+/)
  return items.filter(({ name, flag, value, origin, meaning }) => {
    const whole = [name, flag, value, origin, meaning].join('\n').toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}
