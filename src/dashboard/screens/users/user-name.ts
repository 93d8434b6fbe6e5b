/** The name of a user: the e-mail address, or for a guest, who has none, the end of the id. */
import type { User } from '../../../models/user.ts'
import { t } from '../../texts.ts'

/** Enough to tell guests apart. */
const ID_CHARS_SHOWN = 6

export function isGuest({ appRole }: Pick<User, 'appRole'>): boolean {
  return appRole === 'guestUser'
}

export function userName(user: Pick<User, 'id' | 'email' | 'appRole'>): string {
  return isGuest(user) ? t('users.guest', { id: user.id.slice(-ID_CHARS_SHOWN) }) : user.email
}
