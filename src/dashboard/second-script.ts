/**
 * The screens that most visits do without: those of administrators, of feeds, the trash and the reader's own sessions; and
 * the dialogs of pictures. They are one script, which is fetched when one of them is opened, or before that in a quiet moment; src/dashboard/screens.ts names them.
 * What they share with the first script stays there, since scripts/build-dashboard.ts lets this file import all of it.
 */
import type { OpenScreen } from './screen.ts'
import { configurationScreen } from './screens/configuration/configuration-screen.ts'
import { openDescription, openSending } from './screens/editor/picture-dialog.ts'
import { openLibrary } from './screens/editor/picture-library.ts'
import { feedsScreen } from './screens/feeds/feeds-screen.ts'
import { firstRestoreForm } from './screens/first-run/first-restore-form.ts'
import { firstRunScreen } from './screens/first-run/first-run-screen.ts'
import { operationsScreen } from './screens/operations/operations-screen.ts'
import { publicationsScreen } from './screens/publications/publication-list.ts'
import { reviewScreen } from './screens/review/review-screen.ts'
import { trashScreen } from './screens/trash/trash-screen.ts'
import { ownSessionsScreen } from './screens/users/own-sessions-screen.ts'
import { usersScreen } from './screens/users/user-list.ts'

export { firstRestoreForm }
export const PICTURE_DIALOGS = { openDescription, openLibrary, openSending }

/** Each by the name under which `screens.ts` opens it. */
export const SECOND_SCREENS = {
  configuration: configurationScreen,
  feeds: feedsScreen,
  firstRun: firstRunScreen,
  operations: operationsScreen,
  ownSessions: ownSessionsScreen,
  publications: publicationsScreen,
  review: reviewScreen,
  trash: trashScreen,
  users: usersScreen,
} as const satisfies Readonly<Record<string, OpenScreen>>
