/**
 * What models and their fields mean, in a sentence each: for the description of the API, and for forms.
 *
 * Paths are dotted, with `*` for any key of a map; items of a list have the path of the list. A field that says by its
 * name all there is to say has no words.
 */
import type { Model } from './schema.ts'

interface ModelWords {
  readonly about: string
  readonly fields: Readonly<Record<string, string>>
}

/** Said of the field of this name in every model. */
const COMMON: Readonly<Record<string, string>> = {
  id: 'Given by the server, and never changed',
  createdAt: 'Set by the server, in UTC',
  updatedAt: 'Set by the server with each change, in UTC',
  status: 'Whether it is published; apps show what is active',
  type: 'Always the name of the model',
}

const WORDS: Readonly<Record<string, ModelWords>> = {
  headline: {
    about: 'A news item that links to the article at its source',
    fields: {
      excerpt: 'A few sentences of the article, shown below the title',
      url: 'Address of the article',
      imageUrl: 'Address of the picture on the card',
      source: 'Who published it',
      eventCountry: 'Where it happened',
      topic: 'What it is about',
    },
  },
  topic: {
    about: 'A subject that headlines belong to and that people follow',
    fields: { description: 'A sentence that says what belongs to it', iconUrl: 'Address of its icon' },
  },
  source: {
    about: 'A publisher of headlines',
    fields: {
      description: 'A sentence about the publisher',
      url: 'Address of its home page',
      sourceType: 'What kind of publisher it is',
      language: 'What it mostly writes in',
      headquarters: 'The country that it is at home in',
    },
  },
  country: {
    about: 'A country: where events happen and publishers are at home',
    fields: { isoCode: 'Two letters of ISO 3166-1', flagUrl: 'Address of a picture of its flag' },
  },
  language: {
    about: 'A language that sources write in and that apps are shown in',
    fields: { code: 'Two letters of ISO 639-1', name: 'Its name in English', nativeName: 'Its name in itself' },
  },
  user: {
    about: 'An account, or a guest without an address of its own',
    fields: {
      email: 'The address that sign-in codes go to; two users never share one',
      appRole: 'What the user may do in the apps',
      dashboardRole: 'What the user may do here: publishers write headlines, administrators do everything',
      feedDecoratorStatus: 'Which cards of the feed the user has done with, by kind',
      'feedDecoratorStatus.*.isCompleted': 'Whether the card need not be shown again',
      'feedDecoratorStatus.*.lastShownAt': 'When the card was last seen; null for never',
    },
  },
  user_app_settings: {
    about: 'How the apps look for a user; it has the id of its user',
    fields: {
      displaySettings: 'Colours and type',
      'displaySettings.fontFamily': 'Name of a typeface that the app has, or `SystemDefault`',
      language: 'The language of the app and of mail',
      feedPreferences: 'How headlines are shown in a list',
    },
  },
  user_content_preferences: {
    about: 'What a user follows and has saved, within the limits of the role; it has the id of its user',
    fields: {
      savedFilters: 'Combinations of topics, sources and countries under a name',
      'savedFilters.id': 'Chosen by the app',
    },
  },
  remote_config: {
    about: 'The one document that every app reads at its start: limits, advertisements, cards of the feed, maintenance',
    fields: {
      userPreferenceConfig: 'How much users of each role may follow and save',
      'userPreferenceConfig.guestFollowedItemsLimit': 'Topics, sources and countries that a guest may follow, of each',
      'userPreferenceConfig.guestSavedHeadlinesLimit': 'Headlines that a guest may save',
      'userPreferenceConfig.guestSavedFiltersLimit': 'Filters that a guest may save',
      'userPreferenceConfig.authenticatedFollowedItemsLimit':
        'Topics, sources and countries that a standard user may follow, of each',
      'userPreferenceConfig.authenticatedSavedHeadlinesLimit': 'Headlines that a standard user may save',
      'userPreferenceConfig.authenticatedSavedFiltersLimit': 'Filters that a standard user may save',
      'userPreferenceConfig.premiumFollowedItemsLimit':
        'Topics, sources and countries that a premium user may follow, of each',
      'userPreferenceConfig.premiumSavedHeadlinesLimit': 'Headlines that a premium user may save',
      'userPreferenceConfig.premiumSavedFiltersLimit': 'Filters that a premium user may save',
      adConfig: 'Advertisements in the apps',
      'adConfig.enabled': 'Whether there are any; switch those of the feed off as well',
      'adConfig.primaryAdPlatform': 'Who provides them: `admob` needs identifiers, `demo` works in demo builds only',
      'adConfig.platformAdIdentifiers': 'The places for advertisements as each platform names them',
      'adConfig.feedAdConfiguration': 'Advertisements between the headlines of a feed',
      'adConfig.feedAdConfiguration.visibleTo': 'Roles that see them; a role that is left out sees none',
      'adConfig.feedAdConfiguration.visibleTo.*.adFrequency': 'Headlines from one advertisement to the next',
      'adConfig.feedAdConfiguration.visibleTo.*.adPlacementInterval': 'Headlines before the first advertisement',
      'adConfig.articleAdConfiguration': 'Advertisements on the page of a headline',
      'adConfig.articleAdConfiguration.visibleTo': 'Roles that see them, and where on the page',
      'adConfig.interstitialAdConfiguration': 'Advertisements over the whole screen between two pages',
      'adConfig.interstitialAdConfiguration.visibleTo.*.transitionsBeforeShowingInterstitialAds':
        'Pages opened from one of them to the next',
      feedDecoratorConfig: 'Cards between the headlines of a feed, by kind',
      'feedDecoratorConfig.*.category': 'Whether the card asks for something or shows a collection',
      'feedDecoratorConfig.*.visibleTo': 'Roles that see the card; a role that is left out does not',
      'feedDecoratorConfig.*.visibleTo.*.daysBetweenViews': 'Days until the card is shown again',
      'feedDecoratorConfig.*.itemsToDisplay': 'Items in a collection; needed where a collection is enabled',
      appStatus: 'Whether the apps may be used',
      'appStatus.isUnderMaintenance': 'Locks every app with a notice while it is true',
      'appStatus.latestAppVersion': 'The newest version of the apps, such as 1.2.0',
      'appStatus.isLatestVersionOnly': 'Locks apps older than the newest version until they are updated',
      'appStatus.iosUpdateUrl': 'Where the app for iOS is updated',
      'appStatus.androidUpdateUrl': 'Where the app for Android is updated',
    },
  },
  dashboard_summary: {
    about: 'How much active content there is, counted for each request',
    fields: {
      headlineCount: 'Active headlines',
      topicCount: 'Active topics',
      sourceCount: 'Active sources',
    },
  },
}

/** What members of replies mean, by the names of their declarations in replies.ts. */
const REPLY_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  signedIn: { token: 'For `Authorization: Bearer …`, until it expires or the session ends' },
  dashboardSetup: {
    codesBy: 'Where sign-in codes go: with no mail set up they are shown on the console of the service',
    codeMinutes: 'How long a sign-in code holds',
  },
  dashboardOverview: {
    counts: 'Documents of each status',
    hours: 'Headlines created in each hour of the last 31 days that has any, oldest first',
    'hours.hour': 'When the hour begins, in UTC',
  },
  serviceStatus: {
    node: 'The version of Node in the program',
    instance: 'As in `X-Dateline-Instance`',
    'database.logBytes': 'Of the write-ahead log beside the database',
    'database.freeBytes': 'On the disk of the data directory',
    attention: 'What somebody should look at',
    limits: 'Requests that each limit has refused since the start',
    queries: 'How queries were answered since the start',
    'backups.everyMs': 'Milliseconds from one backup to the next; null where none is made by itself',
    'backups.keep': 'Backups made by itself that are kept',
    'backups.failure': 'Why the last try failed; null where it did not',
  },
  serviceSettings: {
    'items.flag': 'Null for the secret, which has no flag',
    'items.value': 'As people read it, with passwords masked',
    'items.origin': 'A flag, a variable, a member of the settings file, `default`, or `dataDir`',
  },
  logLines: {
    items: 'The newest first',
    'items.fields.value': 'Texts as they are, everything else as JSON',
    dropped: 'Lines of these levels that were written since the start and are no longer at hand',
  },
  auditRecords: {
    items: 'The newest first, unless `sort` says otherwise',
    'items.event': 'What was done',
    'items.actor': 'The id of the user who did it; empty where it was none, `deleted-…` where the account is gone',
    'items.role':
      'The role of that user at that time; `operator` is the command line, `stranger` a request without a user',
    'items.clientAddress': 'Where the request came from',
    'items.sessionId': 'The session of the request, as in the list of sessions',
    'items.requestId': 'As in `X-Request-Id` and in the log',
    'items.emailHash': 'A keyed hash of the e-mail address that was meant: see the parameter `email`',
    'items.model': 'What kind of document it was done to',
    'items.documentId': 'Its id',
    'items.before': 'The ETag of the version before',
    'items.after': 'The ETag of the version after',
    'items.changes': 'Members that have changed, with their values as JSON; of roles and of the remote configuration',
    'items.details': 'What else belongs to the event, such as the reason of a failure',
    cursor: 'Asks for the next page; null where there is none',
    hasMore: 'Whether there is a next page',
  },
  outboxMessages: {
    items: 'The newest first',
    'items.reply': "The mail server's last words",
    'items.dueAt': 'Of one that waits: when it is tried next',
  },
  mailTestBody: { to: 'The address that the mail goes to' },
  mailTest: {
    lines: 'The dialogue: `>` we, `<` the mail server, `*` what happened besides, and at the end what came of it',
    advice: 'What to do about it; null where the mail was delivered',
  },
  backups: { items: 'The newest first' },
  userSessions: {
    items: 'The newest first',
    'items.client': 'A readable name of the client; empty where it gave none',
    'items.label': 'The User-Agent that signed in, cleaned and shortened; or what a token is for',
    'items.lastUsedAt': 'When it was last used, to within five minutes',
    'items.current': 'Whether it is the one that asks',
  },
  sessionsEnded: { ended: 'How many there were' },
  documentProblems: {
    problems: 'Empty where the document would be accepted',
    'problems.path': 'The member, such as `source.language.code` or `followedTopics[2]`; empty for the document',
    'problems.code': 'The rule that is broken, for programs; it never changes',
    'problems.params': 'Values for a sentence in the language of the reader',
    'problems.params.*': 'As text; only where the code has one',
    'problems.message': 'In English',
  },
  queryPlan: {
    access: 'How the rows are found',
    exact: 'Whether SQL decides every condition; otherwise its rows are a superset, and the filter is applied to each',
    runs: 'Beside all other requests, or in a thread with a deadline',
    order:
      'How the rows come: in the order of the page, in that of its first keys, or in none, so that they are sorted',
    values: 'The values in that SQL, each as JSON',
    weighed: 'All ways that were weighed; the cheapest is taken',
    'weighed.cost': 'In rows of an index',
  },
}

/** What the model is for. */
export function modelWords(model: Pick<Model, 'name'>): string | undefined {
  return WORDS[model.name]?.about
}

/** What the field of a model or reply at a dotted path means, where there is more to say than its name does. */
export function fieldWords(of: Pick<Model, 'name'>, path: string): string | undefined {
  return WORDS[of.name]?.fields[path] ?? REPLY_WORDS[of.name]?.[path] ?? COMMON[path]
}

/** The paths of a model or reply that have words of their own. */
export function wordedPaths(of: Pick<Model, 'name'>): readonly string[] {
  return Object.keys(WORDS[of.name]?.fields ?? REPLY_WORDS[of.name] ?? {})
}
