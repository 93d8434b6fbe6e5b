/** Feeds: how all of them are doing, one of them, a new one, a list of another reader, and the rules for all. */
import { isAdmin } from '../../../models/caller.ts'
import type { OpenScreen } from '../../screen.ts'
import { addFeedScreen } from './add-feed.ts'
import { feedList } from './feed-list.ts'
import { feedPage } from './feed-page.ts'
import { opmlScreen } from './opml-screen.ts'
import { sharedRulesScreen } from './shared-rules.ts'

/** The screen of a URL; what only administrators do is not found by others. */
export const feedsScreen: OpenScreen = (context) => {
  const part = context.screenUrl.segments[1]
  const mayWrite = isAdmin(context.user)
  if (part === undefined) return feedList(context)
  if (part === 'rules') return sharedRulesScreen(context)
  if (part === 'new' && mayWrite) return addFeedScreen(context)
  if (part === 'opml' && mayWrite) return opmlScreen(context)
  return feedPage(context, part)
}
