/** Publications: all of them, one of them, and a new one. */
import type { OpenScreen } from '../../screen.ts'
import { publicationList } from './publication-list.ts'
import { publicationPage } from './publication-page.ts'

export const publicationsScreen: OpenScreen = (context) => {
  const part = context.screenUrl.segments[1]
  if (part === undefined) return publicationList(context)
  return publicationPage(context, part === 'new' ? undefined : part)
}
