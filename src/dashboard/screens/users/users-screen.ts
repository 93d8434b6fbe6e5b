/** The screen of users: the list at `/users`, and one user at `/users/ID`. */
import type { OpenScreen } from '../../screen.ts'
import { listHref, userList } from './user-list.ts'
import { userPage } from './user-page.ts'

export const usersScreen: OpenScreen = (context) => {
  const [, id] = context.screenUrl.segments
  return id === undefined ? userList(context) : userPage(id, listHref(), context)
}
