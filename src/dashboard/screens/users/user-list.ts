/** The screen of users: one at `/users/ID`, and the list of all, the newest first, narrowed by e-mail address and by roles. The URL of the page holds the filter. */
import type { StoredDocument } from '../../any-documents.ts'
import { APP_ROLES, DASHBOARD_ROLES, user as userModel, type User } from '../../../models/user.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { hrefTo, replaceQuery } from '../../screen-url.ts'
import type { OpenScreen, Screen, ScreenContext } from '../../screen.ts'
import { dataTable, type TableMemory } from '../../kit/table/data-table.ts'
import { listSearch } from '../../kit/table/list-search.ts'
import { PAGE_ROWS } from '../../kit/table/page-list.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { totalLine } from '../../kit/table/total-line.ts'
import { t } from '../../texts.ts'
import { atMostEvery } from '../../timing.ts'
import { button, h, type Attributes } from '../../kit/dom.ts'
import { choiceAmong, screenHead, tag } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'
import { emptyState, nothingFound } from '../../kit/states.ts'
import { liveRows } from '../list/live-rows.ts'
import { openInvitation } from './invitation.ts'
import { userName } from './user-name.ts'
import { userPage } from './user-page.ts'
import { isNarrowed, readUserSearch, userFilter, userSearchQuery, type UserSearch } from './user-query.ts'

/** Between two counts of users who change elsewhere. */
const RECOUNT_MS = 2_000

const memory: TableMemory = {}

export const usersScreen: OpenScreen = (context) => {
  const [, id] = context.screenUrl.segments
  return id === undefined ? userList(context) : userPage(id, listHref(), context)
}

/** The URL of the list as it was left last. */
function listHref(): string {
  return memory.left?.key ?? hrefTo(['users'])
}

function userList(context: ScreenContext): Screen {
  const { client, screenUrl, signal } = context
  const title = t('models.user')
  let search = readUserSearch(screenUrl.query)

  const key = (): string => hrefTo(['users'], userSearchQuery(search))
  const total = totalLine(key)
  const table = dataTable<User>({
    label: title,
    columns: columns(),
    async load(cursor, ended) {
      const query = { filter: userFilter(search), sort: 'createdAt:desc', limit: PAGE_ROWS, cursor, count: total.count(cursor) }
      const page = await client.data('user').list(query, { signal: ended })
      total.take(page)
      return page
    },
    labelOf: userName,
    hrefOf: ({ id }) => hrefTo(['users', id]),
    empty: () => (isNarrowed(search) ? nothingFound(clearAll) : emptyState('user', t('list.empty'))),
    memory,
    key,
    signal,
  })

  const recount = atMostEvery(RECOUNT_MS, signal, () => {
    void total.recount(() => client.data('user').list({ filter: userFilter(search), limit: 1, count: true }, { signal }))
  })
  const fresh = liveRows({
    ...{ model: userModel, context, recount },
    view: { query: () => ({ filter: userFilter(search), sort: undefined }), isNarrowed: () => isNarrowed(search) },
    table: { ...table, update: (document: StoredDocument) => table.update(document as unknown as User) },
  })

  const input = listSearch({
    label: t('users.search'),
    value: search.text,
    onSearch: (text) => change({ ...search, text }),
    signal,
  })
  const use = (): void => change({ ...search, appRole: appRole.value, dashboardRole: dashboardRole.value })
  const appRole = roleFilter(APP_ROLES, t('users.notGuests'), { value: search.appRole, on: { change: use } })
  const dashboardRole = roleFilter(DASHBOARD_ROLES, t('all'), { value: search.dashboardRole, on: { change: use } })

  function change(next: UserSearch): void {
    if (JSON.stringify(next) === JSON.stringify(search)) return
    search = next
    replaceQuery(userSearchQuery(search))
    fresh.clear()
    void table.reload()
  }

  function clearAll(): void {
    input.value = appRole.value = dashboardRole.value = ''
    change({ text: '', appRole: '', dashboardRole: '' })
    input.focus()
  }

  const element = h(
    'section',
    { class: 'list' },
    screenHead(title, total.element, button([icon('plus'), t('users.invite')], () => openInvitation(context), { class: 'primary' })),
    h(
      'div',
      { class: 'list-tools user-tools' },
      input,
      h('label', {}, h('span', {}, fieldTitle('appRole')), appRole),
      h('label', {}, h('span', {}, fieldTitle('dashboardRole')), dashboardRole),
    ),
    fresh.element,
    table.element,
  )
  return { title, element, search: input, keys: table.keys }
}

function roleFilter(roles: readonly string[], none: string, attributes: Attributes): HTMLSelectElement {
  return choiceAmong(['', ...roles], (role) => (role === '' ? none : valueTitle(role)), attributes)
}

function columns(): readonly TableColumn<User>[] {
  return [
    {
      key: 'email',
      title: t('signIn.email'),
      width: 'minmax(0, 3fr)',
      cell: (user) => [h('bdi', { title: user.email }, user.displayName ?? userName(user)), user.displayName !== undefined && h('bdi', { class: 'soft second' }, user.email)],
    },
    detail('dashboardRole', '10rem', ({ dashboardRole: role }) => {
      return role !== 'none' && tag(role === 'admin' ? 'good' : '', valueTitle(role))
    }),
    detail('appRole', '8rem', ({ appRole }) => valueTitle(appRole)),
    detail('createdAt', '11rem', ({ createdAt }) => ago(createdAt)),
  ]
}

function detail(key: string, width: string, cell: TableColumn<User>['cell']): TableColumn<User> {
  return { key, title: fieldTitle(key), width, isDetail: true, cell }
}
