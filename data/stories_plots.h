/* The plots, rows of the table in stories_grammar.h. Where a trait is named, the ending follows from it. */

/* ---- lost: the thing lies where the hero rested ---- */

{ "lost", "", "{open} {habit} {owned} {care_told}\n{outing}{scene} {missed} {searched} {advice} {found}\n{care.end}" },
{ "owned", "",
  "{subject} owned {own_thing}, {origin}."
  "|{^hero.his} treasure {thing=Thing}{thing.was} {thing.some} {Worn}{hue:Hue} {thing}, {origin}."
  "|{subject} never went out without {own_thing}, {origin}."
  "|Best of all {hero.he} {loved} {own_thing}, {origin}." },
{ "own_thing", "", "{thing=Thing}{thing.some} {Worn}{hue:Hue} {thing}" },
{ "origin", "",
  "a gift from {hero.his} {Elder}|won at a fair in {Month}|bought for {Num} coins|made by {hero.his} {Elder}"
  "|swapped for {Food}|found on {a} {Sky} {Weekday}" },
{ "care_told", "", "{subject} was {very}{care:Care}.|People called {hero.him} {care:Care}." },
#define CAREFUL "/{careful_end}"
#define CARELESS "/{careless_end}"
{ "Care", "name end",
  "careful" CAREFUL "|watchful" CAREFUL "|diligent" CAREFUL "|careless" CARELESS "|forgetful" CARELESS
  "|hasty" CARELESS },
{ "careful_end", "",
  "{subject} sewed {a} {Worn}{Hue} label on the {thing} and never lost {thing.them} again."
  "|{subject} tied the {thing} to {hero.his} belt with {a} {Worn}{Hue} thread. Nothing was lost after that."
  "|{^hero.he} thanked {friend} with {goods2} and kept the {thing} safe for {Num} {ages}." },
{ "careless_end", "",
  "{subject} danced home, and by {Weekday} the {thing} {thing.was} lost again."
  "|{^hero.he} thanked {friend} with {goods2}. But on {Weekday} {hero.he} left the {thing} on a wall."
  "|\"Now I will take care,\" {said} {hero}, and forgot the {thing} {Num} steps later." },
{ "outing", "",
  "{day}, {hero.he} took the {thing} to {place=Place}{place} to {errand}, and sat down {place.hide}{spot}."
  "|{day}, {hero} was {place=Place}{place.at} to {errand}. {^hero.he} had a nap {place.hide}{spot}."
  "|{day}, {hero} {went} to {place=Place}{place} to {errand}. There {hero.he} rested {place.hide}{spot}."
  "|{day}, {hero} had to {errand}. On the way {hero.he} stopped {place=Place}{place.at} and lay down "
    "{place.hide}{spot}." },
{ "errand", "",
  "sell {goods4}|buy {goods4}|meet {hero.his} {Elder}|share {Food} with {hero.his} {Elder}|draw {a} {Tree} tree"
  "|look for {Herb}|count {Num} {pets}|sing with {a} {Role}|learn a song" },
{ "missed", "",
  "At {hour} the {thing} {thing.was} gone. \"{oh}!\" {sighed} {hero}."
  "|Back home, {hero.he} had no {thing}. \"{oh}!\" {hero.he} {sighed}, {sad}."
  "|At supper {hero.he} reached for the {hue} {thing}, but {thing.it} {thing.was} not there. {hero} was {sad}."
  "|\"{oh}! Where did I leave the {thing}?\" {said} {hero} that night, {sad}." },
{ "searched", "",
  "{^hero.he} looked {nook1:Nook}, {nook2:Nook} and {nook3:Nook}."
  "|Was the {thing} {nook1:Nook}? Or {nook2:Nook}? No."
  "|{^hero.he} searched {nook1:Nook} and {nook2:Nook}, and found only {Food}." },
{ "advice", "",
  "\"{hush},\" {said} {friend:Person}, {who}. \"Where were you {earlier}?\" \"{^place.at}!\" {said} {hero}."
  "|{friend:Person}, {who}, {asked}, \"Where did you sit down last?\" \"{^place.at}, {spot}!\""
  "|{then} {friend:Person}, {who}, came by. \"{hush}. Go back the way you came,\" {said} {friend}."
  "|\"Did you not go to {place}?\" {asked} {friend:Person}, {who}. {hero} jumped up." },
{ "earlier", "", "today|yesterday|before supper|at noon" },
{ "found", "",
  "They {went} to {place}, and {spot} lay the {hue} {thing}."
  "|{subject} {went} back. {^thing.it} {thing.was} still {place.at}, {spot}."
  "|Back {place.at} {hero.he} looked {spot}. \"{hooray}!\" There {thing.it} {thing.was}."
  "|{^spot} {place.at} the {thing} waited, {state}. {hero} was {glad}." },
{ "state", "", "a little {dirty}|{dirty} but whole" },
{ "dirty", "", "wet|dusty|cold|muddy" },

/* ---- cure: a friend is ill, the remedy grows far away, and something bars the way ---- */

{ "cure", "", "{open} {habit} {brave_told}{scene}\n{ill} {remedy} {depart} {way=Way}{way.block} {brave.deed} "
    "{got}\n{well}" },
{ "brave_told", "", "{subject} was {very}{brave:Brave}.|All agreed that {hero.he} was {brave:Brave}." },
#define BRAVE "/{way.brave}/{alone}"
#define TIMID "/{way.timid} {helped}/{together}"
{ "Brave", "name deed praise",
  "brave" BRAVE "|bold" BRAVE "|plucky" BRAVE "|timid" TIMID "|fearful" TIMID "|shy" TIMID },
{ "ill", "",
  "In {Month} {hero.his} {tie} {friend:Person} fell ill with {a} {nasty} {illness}."
  "|{day}, {hero.his} {tie} {friend:Person} lay in bed with {a} {nasty} {illness}."
  "|\"I have {a} {nasty} {illness},\" groaned {friend:Person}, {hero.his} {tie}." },
{ "tie", "", "friend|neighbour|guest|pupil" },
{ "nasty", "", "bad|strange|long|heavy" },
{ "illness", "", "cough|cold|fever" },
{ "remedy", "",
  "\"Only {herb:Herb} tea will help,\" {said} {who}. \"It grows {place=Ground}{place.at}, {place.hide}{spot}.\""
  "|{^who} said, \"Bring {herb:Herb} from {place=Ground}{place}. Look {place.hide}{spot}.\""
  "|{^who} knew a cure: {herb:Herb} with {Drink}. \"You can pick {herb} {place=Ground}{place.at}, "
    "{place.hide}{spot}.\"" },
{ "depart", "",
  "{hero} packed {goods4} and {left} at {hour}."
  "|{hero} packed {a} {Worn}{Hue} {gear} with {goods4}, and {left}."
  "|So {hero} put on {a} {Worn}{Hue} {wear} and went." },
{ "gear", "", "bag|basket|box|barrel" },
{ "wear", "", "coat|cap|shawl|hat|scarf|apron" },
{ "Way", "block brave timid",
  "{halfway} stood {a} {Sky} wood, full of {Num} {pets}./{subject} {whistled} and walked straight through it."
  "/{subject} turned back at the first tree."
  "|{halfway} ran {a} {Sky} river, {Num} feet deep./{subject} {whistled} and swam across."
  "/{subject} dipped one toe in and {went} home."
  "|{halfway} {a} {Sky} fog hid everything but {Num} {Tree} trees./{subject} "
    "{whistled} and went on from tree to tree."
  "/{subject} sat down and did not dare to move." },
{ "halfway", "", "Halfway there|Behind the last house|After {Num} miles|Soon|At {hour}" },
{ "whistled", "", "sang {a} {Inner} song|sang, \"{song}!\"|thought of {friend}|ate {Food}|counted to {Num}" },
{ "helped", "",
  "{then} {helper:Person}, {who}, came and held {hero.his} hand, and together they got past."
  "|But {helper:Person}, {who}, came along with {a} {Worn}{Hue} lamp, and side by side they made it."
  "|\"{hush}, we go together,\" {said} {helper:Person}, {who}, and so they did." },
{ "got", "",
  "{^place.at}, {spot}, grew the {herb}."
  "|There was the {herb}, {spot}, just as promised."
  "|At {hour} {hero.he} {foundv} the {herb} {spot} and filled {hero.his} {pocket}." },
{ "pocket", "", "bag|hat|basket|left boot" },
{ "well", "",
  "{friend} drank {Num} cups of {herb} tea and was well by {Weekday}. {brave.praise}"
  "|After {Num} sips of it the {illness_gone}. {brave.praise}"
  "|The {herb} was bitter, but soon {friend} {ate} {Food} again. {brave.praise}" },
{ "illness_gone", "", "pain was gone|patient sat up|patient smiled|trouble was over|patient asked for {Food}" },
{ "alone", "",
  "\"And you went all alone!\" {friend.he} {said}."
  "|{hero} told the tale {Num} times, and each time it grew."
  "|\"I have {a} {brave} friend,\" {said} {friend}." },
{ "together", "",
  "\"Thank {helper},\" {said} {hero}. \"Alone I did not dare.\""
  "|{subject} was still {brave}, but {hero.he} and {helper} were friends for life."
  "|{helper} winked and never told who had been afraid." },

/* ---- trade: each swap hands on what the last one brought ---- */

{ "trade", "", "{open} {habit} {wish} {want_told}\n{swap1}{scene} {swap2} {swap3}\n{want.end}" },
{ "wish", "",
  "{subject} had {own_thing}, but wished for {goal=Thing}{goal.some} {goal}."
  "|{subject} dreamed of {goal=Thing}{goal.some} {goal}, but had only {own_thing}."
  "|All {hero.he} had was {own_thing}, and all {hero.he} wanted was {goal=Thing}{goal.some} {goal}." },
{ "want_told", "", "{subject} was {want:Want}.|And {want:Want} {hero.he} was." },
#define CONTENT "/{content_end}"
#define GREEDY "/{greedy_end}"
{ "Want", "name end",
  "content" CONTENT "|patient" CONTENT "|generous" CONTENT "|greedy" GREEDY "|selfish" GREEDY "|restless" GREEDY },
{ "content_end", "",
  "{subject} was {glad} and kept the {goal} for {Num} {ages}. {treat}"
  "|\"{^goal.this} {goal} will do for life,\" {said} {hero}. And {goal.it} did."
  "|{subject} lent the {goal} to {one} on every {Weekday}, and to {two} on every {Weekday}."
  "|Now {hero} had {hero.his} {goal}, {one} the {thing}, and all were {glad}." },
{ "greedy_end", "",
  "But was that enough? No. {^hero.he} swapped on and on, and by {Weekday} {hero.he} was back with the {hue} {thing}."
  "|Yet {one} now had {a} {Worn}{Hue} pony, and {hero} wanted that, too. {^hero.he} did not sleep for {Num} {span}."
  "|\"I should have asked for two,\" {said} {hero}, and was {sad}."
  "|{then} {hero} {saw} {a} {Worn}{Hue} carriage, gave the {goal} for it, and it broke {Num} miles later." },
{ "swap1", "",
  "{day}, {one:Person}, {who}, offered {got2} for the {thing}. \"Done!\" {said} {hero}."
  "|{day}, {hero.he} {met} {one:Person}, {who}, who {loved} the {thing} and {gave} {got2} for {thing.them}."
  "|{day}, {one:Person}, {who}, took the {hue} {thing} and paid with {got2}." },
{ "got2", "", "{thing2=Thing}{thing2.some} {Worn}{hue2:Hue} {thing2}" },
{ "got3", "", "{thing3=Thing}{thing3.some} {Worn}{hue3:Hue} {thing3}" },
{ "swap2", "",
  "{two:Person} {needed} {thing2.some} {thing2} and had {got3} to spare. They swapped {place=Place}{place.at}."
  "|{^swap_place}, {two:Person} {gave} {hero.him} {got3} for the {hue2} {thing2}."
  "|\"I have waited {Num} {ages} for {thing2.some} {thing2}!\" {said} {two:Person}, and {gave} {hero} {got3}." },
{ "swap_place", "", "{place=Place}{place.at}" },
{ "needed", "", "needed|wanted|asked for" },
{ "swap3", "",
  "And {three:Person}, {who}, took the {thing3} and handed over {goal.some} {Worn}{Hue} {goal}!"
  "|At {hour} {three:Person}, {who}, came with {goal.some} {Worn}{Hue} {goal} and begged for the {hue3} {thing3}." },

/* ---- race: the trait decides who wins ---- */

{ "race", "", "{open} {habit} {pace_told} {rival}\n{dare}{scene} {start} {pace.race}\n{pace.end}" },
{ "pace_told", "", "{subject} was {very}{pace:Pace}.|In all things {hero.he} was {pace:Pace}." },
#define STEADY "/{steady_race}/{hero_wins}"
#define BOASTFUL "/{boast_race}/{rival_wins}"
{ "Pace", "name race end",
  "steady" STEADY "|patient" STEADY "|diligent" STEADY "|vain" BOASTFUL "|proud" BOASTFUL "|lazy" BOASTFUL },
{ "rival", "",
  "{^hero.his} {tie} {friend:Person} was {a} {rival_role}."
  "|Next door lived {friend:Person}, {a} {rival_role}." },
{ "rival_role", "", "{Outer}, {Inner} {role2:Role}|{Inner} {role2:Role}|{Outer} {role2:Role}" },
{ "dare", "",
  "\"I dare you to race me to {place=Place}{place} for {prize:Food},\" {said} {friend} {dare_day}."
  "|{day}, {hero} and {friend} agreed to race to {place=Place}{place}. The prize was {prize:Food}."
  "|\"Who comes first to {place=Place}{place} gets {prize:Food},\" {said} {who}." },
{ "dare_day", "", "one {Sky} {Part}|on {a} {Sky} {Weekday}" },
{ "start", "",
  "At {hour} {a} {music} {rang}, and off they went."
  "|They started at {hour} by {a} {Tree} tree."
  "|{^Num} {pets} watched the start." },
{ "steady_race", "",
  "{friend} soon led by {Num} fields and {paused} {Food}. {hero} went on, step by step."
  "|{friend} stopped to chase {Num} {pets}. {hero} looked neither left nor right."
  "|{friend} {dozed} under {a} {Tree} tree {snoring}. {hero} passed by without a word."
  "|{friend} took a short cut and got lost among {Num} {pets}. {hero} kept to the {ground}." },
{ "snoring", "", "for {Num} minutes|until {hour}|and snored" },
{ "boast_race", "",
  "{hero} soon led by {Num} fields and {paused} {Food}. {friend} went on, step by step."
  "|{hero} stopped to tell {a} {Role} how fast {hero.he} was. {friend} passed them both."
  "|\"I can win asleep!\" {said} {hero} and {dozed} under {a} {Tree} tree. {friend} passed by without a word."
  "|{hero} turned to wave at {Num} {pets} and fell into a ditch. {friend} kept to the {ground}." },
{ "hero_wins", "",
  "{subject} was first to touch {place}. \"Step by step,\" {hero.he} {said}, and {shared} {prize} with {friend}."
  "|When {friend} came to {place}, {hero} sat there, {glad}, with {prize}."
  "|{so} {hero} won, and {friend} learned to stay awake. {treat}" },
{ "rival_wins", "",
  "{friend} was first to touch {place} and won {prize}. {hero} came {Num} minutes later, {sad}."
  "|When {hero} came to {place}, {friend} sat there with {prize}. \"Big words, small steps,\" {said} {friend}."
  "|{so} {friend} won. {hero} did not brag for {Num} {span}." },

/* ---- mercy: a creature in need, and what its kind can do ---- */

{ "mercy", "", "{open} {habit} {heart_told}{scene}\n{stuck} {heart.meets}{sight}\n{later} {beast.trouble} "
    "{heart.end}" },
{ "heart_told", "", "{subject} was {very}{heart:Heart}.|Everyone knew that {hero.he} was {heart:Heart}." },
#define KIND "/{frees}/{repaid}"
#define UNKIND "/{passes}/{left_alone}"
{ "Heart", "name meets end",
  "kind" KIND "|good-hearted" KIND "|generous" KIND "|selfish" UNKIND "|cold-hearted" UNKIND "|unkind" UNKIND },
{ "Beast", "name trouble rescue",
  "mouse/a net fell over {hero.him} and held {hero.him} fast./The mouse gnawed through {Num} knots, and {hero} was "
    "free."
  "|mole/the cellar door fell shut, and the key was outside./The mole dug a tunnel {Num} feet long, and {hero} "
    "crawled out."
  "|owl/night fell, and {hero.he} lost the path in the woods./The owl flew ahead from tree to tree and led "
    "{hero.him} home."
  "|goat/{hero.his} cart with {goods5} sank into the mud./The goat pushed {Num} times, and out it came."
  "|squirrel/the wind blew {hero.his} {Worn}{Hue} hat to the top of {a} {Tree} tree./The squirrel ran up and threw "
    "it down."
  "|goose/a thief came through the window at {hour}./The goose honked so loudly that the thief ran {Num} miles." },
{ "stuck", "",
  "{day}, {hero.he} {saw} {a} {Worn}{Hue} {beast:Beast} {caught}."
  "|{day}, a voice called, \"Help!\" It was {a} {Worn}{Hue} {beast:Beast}, {caught}."
  "|{^Amid}, {hero.he} {saw} {a} {Worn}{Hue} {beast:Beast}, {caught}." },
{ "caught", "",
  "stuck in {a} {Tree} fence|tangled in {a} {Worn}{Hue} ribbon|under a fallen {Tree}|caught between {Num} boxes|on "
    "its back in {a} {tub}" },
{ "tub", "", "bucket|barrel|pot|bowl" },
{ "frees", "",
  "{subject} set it free and fed it {menu2}. \"If you need me, call {^c1:Syl}-{c2:Syl}-{c3:Syl}-{c4:Syl},\" {said} "
    "the {beast}."
  "|{subject} nursed it for {Num} {span} with {menu2}. \"Call {^c1:Syl}-{c2:Syl}-{c3:Syl}-{c4:Syl}, and I will "
    "come,\" {said} the {beast}."
  "|\"{hush},\" {said} {hero}, and helped it {at_once}. \"My name is {^c1:Syl}-{c2:Syl}-{c3:Syl}-{c4:Syl},\" {said} "
    "the {beast}." },
{ "passes", "",
  "\"I have no time,\" {said} {hero}, and went to buy {goods4}. The {beast} looked after {hero.him}."
  "|{subject} shrugged and walked past. It took the {beast} {Num} {span} to get away."
  "|\"Not my trouble,\" {hero.he} {said}, counting {goods4}. The {beast} sighed." },
{ "later", "", "{^Num} {span} later|In {Month}|Late on {Weekday}|Before {Month} was over" },
{ "repaid", "",
  "\"{^c1}-{c2}-{c3}-{c4}!\" {sighed} {hero}. {beast.rescue} {moral_kind}"
  "|{hero} called, \"{^c1}-{c2}-{c3}-{c4}!\" {beast.rescue} {moral_kind}"
  "|Would it help to call {^c1}-{c2}-{c3}-{c4}? It did. {beast.rescue} {moral_kind}" },
{ "left_alone", "",
  "{hero} called for the {beast}, but it did not come. {moral_cold}"
  "|\"Help!\" {sighed} {hero}. \"Not my trouble,\" {said} the {beast}. {moral_cold}"
  "|The {beast} saw it and looked away. {moral_cold}" },
{ "moral_kind", "",
  "They stayed friends for {Num} {ages}.|\"{hooray}!\" {cheered} {hero}, and {gave} it {Food}.|Kindness comes "
    "back.|{treat}" },
{ "moral_cold", "",
  "It was {a} {Sky}, lonely {Part}.|{hero} sat there until {hour}, {sad}.|\"Next time I will help,\" {sighed} {hero}."
  "|Since then {hero.he} has stopped for everyone." },

/* ---- treasure: two places in a letter, and what the hero had wished for ---- */

{ "treasure", "", "{open} {habit} {one_wish}{scene}\n{note} {key_way} {chest_way}\n{inside}" },
{ "one_wish", "",
  "{subject} had one wish: {goal=Thing}{goal.some} {hue:Hue} {goal}."
  "|Every night {hero.he} dreamed of {goal=Thing}{goal.some} {hue:Hue} {goal}."
  "|\"If only I had {goal=Thing}{goal.some} {hue:Hue} {goal}!\" {hero.he} often said." },
{ "Chest", "", "chest|trunk|case|box|crate|cupboard" },
{ "note", "",
  "{day}, {hero.his} {elder:Elder} sent a letter: \"The {keyhue:Hue} key lies {place=Place}{place.at}, "
    "{place.hide}{spot}. {^chest_at}.\""
  "|{day}, {a} {Worn}{Hue} bird dropped a note from {hero.his} {elder:Elder}. \"Find the {keyhue:Hue} key "
    "{place=Place}{place.at}, {place.hide}{spot}. {^chest_at}.\""
  "|{day}, {hero} found a note from {hero.his} {elder:Elder} {Nook}. It said, \"Take the {keyhue:Hue} key "
    "{place=Place}{place.at}, {place.hide}{spot}. {^chest_at}.\"" },
{ "chest_at", "",
  "the {chesthue:Hue} {chest:Chest} is {nook:Nook}|it opens the {chesthue:Hue} {chest:Chest} {nook:Nook}|the "
    "{chesthue:Hue} {chest:Chest} waits {nook:Nook}" },
{ "key_way", "",
  "{^place.at} {hero.he} looked {spot}, and there lay the {keyhue} key."
  "|{subject} {went} to {place} and {foundv} the key {spot}, {state}."
  "|It took {Num} minutes to reach {place}. {^spot} {hero.he} {saw} the {keyhue} key." },
{ "chest_way", "",
  "{then} {hero.he} pulled out the {chesthue} {chest} {nook} and turned the key {Num} times."
  "|The {chesthue} {chest} stood {nook}. Click!"
  "|Yes, {nook} was the {chest}, {Num} feet long. The key fitted." },
{ "inside", "",
  "In it {goal.was} {goal.some} {hue} {goal} and a card: \"For {hero}, from your {elder}.\" {hero} was {glad}."
  "|\"{hooray}!\" Under {Num} {Hue} {rags} lay {goal.some} {hue} {goal}. {^hero.his} {elder} had known "
    "{hero.his} wish."
  "|In it lay {Num} {rags}, {Food} and {goal.some} {hue} {goal}. {hero} kissed {hero.his} {elder} {Num} times." },
{ "rags", "", "socks|letters|shawls|hats" },

/* ---- mend: a storm breaks what all need, and each brings what the trade has ---- */

{ "mend", "", "{open} {singing}{scene}\n{storm} {call}\n{brings}{sight} {mended}\n{named}" },
{ "storm", "",
  "One night in {Month} a storm broke the {ruin:Ruin} into {Num} pieces."
  "|{day}, a storm broke the {ruin:Ruin}. It took {Num} minutes."
  "|{day}, {Num} {pets} climbed on the {ruin:Ruin}, and down it came." },
{ "Ruin", "name use",
  "bridge/{Num} carts crossed it|school roof/{Num} children sat under it|mill wheel/it ground {Num} sacks of corn"
  "|ferry/it took {Num} {pets} across|market hall/they sold {goods4} in it|swing/{Num} children sat on it" },
{ "call", "",
  "{hero} was {sad} for {Num} minutes. {then} {hero.he} knocked at every door."
  "|\"{oh}!\" said all. \"{hush},\" {said} {hero}. \"Let us build it again.\""
  "|All wept but {hero}, who called, \"Bring what you have!\"" },
{ "brings", "",
  "{one:Person} the {role1:Role} brought {role1.gives}, {two:Person} the {role2:Role} had {role2.gives}, and "
    "{three:Person}, {a} {role3:Role}, gave {role3.gives}."
  "|{one:Person}, {a} {Inner} {role1:Role}, came with {role1.gives}. {two:Person} the {role2:Role} had "
    "{role2.gives}, and {three:Person} the {role3:Role} gave {role3.gives}."
  "|First came {one:Person} the {role1:Role} with {role1.gives}, then {two:Person} the {role2:Role} with "
    "{role2.gives}. {three:Person}, {a} {Outer} {role3:Role}, had {role3.gives}." },
{ "mended", "",
  "{hero} brought {role.gives} and worked for {Num} {span} with the {role1}, the {role2} and the {role3}."
  "|They used it all: {role1.gives}, {role2.gives} and {role3.gives}. {hero} added {role.gives}."
  "|With {role1.gives}, {role2.gives}, {role3.gives} and {role.gives} from {hero}, it was done by {Weekday}." },
{ "named", "",
  "The {ruin} was better than before: {ruin.use}. {treat}"
  "|They painted it {Hue} and named it after {hero}. By {Month}, {ruin.use}."
  "|\"{hooray}!\" {cheered} {one}, {two} and {three}. On {Weekday} the {ruin} was opened, and {ruin.use}." },

/* ---- gift: who listens knows what to bring ---- */

{ "gift", "", "{open} {habit} {heed_told}\n{loves} {making}{sight} {heed.gives}" },
{ "heed_told", "", "{subject} was {very}{heed:Heed}.|{^hero.his} friends called {hero.him} {heed:Heed}." },
#define HEEDFUL "/{right_gift}"
#define HEEDLESS "/{wrong_gift}"
{ "Heed", "name gives",
  "thoughtful" HEEDFUL "|careful" HEEDFUL "|watchful" HEEDFUL "|careless" HEEDLESS "|forgetful" HEEDLESS
  "|thoughtless" HEEDLESS },
{ "loves", "",
  "{friend:Person}, {hero.his} {tie}, {loved} all that was {hue:Hue}, and would be {Num} on {Weekday}."
  "|\"I wish the whole world were {hue:Hue},\" {said} {friend:Person}, {hero.his} {tie}. {^friend.his} birthday was "
    "in {Month}."
  "|In {Month} {hero.his} {tie} {friend:Person} had a birthday. \"{^hue:Hue} is the best colour,\" {friend.he} "
    "{said} {Num} times." },
{ "making", "",
  "{hero} sat down at {hour} with {Drink} and {Food} to make {thing=Thing}{thing.some} {thing}."
  "|\"I will make {thing=Thing}{thing.some} {thing},\" thought {hero}, and worked {Nook} for {Num} {span}."
  "|For {Num} coins {hero} bought {thing=Thing}{thing.some} {Worn}{thing} {place=Place}{place.at}, and paint." },
{ "right_gift", "",
  "\"{^hue}!\" {hero.he} remembered, and took {hue} paint.\n{friend} held the {hue} {thing} up to the sun. {treat}"
  "|{^hero.he} painted {thing.them} {hue}, of course.\n\"{hooray}! {^hue}!\" {said} {friend}, and {gave} {hero} "
    "{Food}."
  "|What colour? {^hue}, with {Num} dots.\n{friend} was {glad} and took the {hue} {thing} to bed for {Num} {span}." },
{ "wrong_gift", "",
  "What colour? {hero} had not listened, and took {hue2:Hue}.\n{friend} looked at the {hue2} {thing}. \"Thank you,\" "
    "{friend.he} {said}, {sad}."
  "|{^hero.he} painted {thing.them} {hue2:Hue}, with {Num} dots.\n\"But I love {hue}!\" {said} {friend}, and {hero} "
    "had to paint {thing.them} again."
  "|\"{^hue2:Hue} is nice,\" {hero.he} thought.\n\"{^hue2}?\" {said} {friend}. \"{oh}.\" They {ate} {Food} and did "
    "not say much." },

/* ---- broken: the truth is told, or it comes out ---- */

{ "broken", "", "{open} {habit} {truth_told}\n{borrowed}{scene} {crash} {truth.does}\n{truth.end}" },
{ "truth_told", "", "{subject} was {very}{truth:Truth}.|{^hero.his} {Elder} found {hero.him} {truth:Truth}." },
#define HONEST "/{tells}/{forgiven}"
#define SLY "/{hides}/{found_out}"
{ "Truth", "name does end",
  "honest" HONEST "|truthful" HONEST "|upright" HONEST "|sly" SLY "|false" SLY "|tricky" SLY },
{ "borrowed", "",
  "{day}, {friend:Person}, {who}, lent {hero.him} {fragile_new}."
  "|{day}, {hero.he} looked after {fragile_new} for {friend:Person}, {who}."
  "|{friend:Person}, {who}, had {fragile_new} and left it with {hero} until {Weekday}." },
{ "fragile_new", "", "{a} {Worn}{hue:Hue} {ware:Fragile}" },
{ "Fragile", "", "cup|plate|jug|lamp|clock|kite|bowl|mirror|drum|doll" },
{ "crash", "",
  "While {hero.he} {ate} {Food}, {hero.his} elbow touched the {ware}. Crash!"
  "|{^Num} {pets} ran past, {hero} jumped, and the {ware} broke into {Num} pieces."
  "|At {hour} {hero.he} tripped over {Food}, and the {hue} {ware} was in pieces." },
{ "tells", "",
  "{^hero.he} {went} to {friend} {at_once}. \"I broke your {ware}. I am sorry,\" {sighed} {hero}."
  "|{hero} was {sad}, but {hero.he} told {friend} all before {hour}."
  "|\"{friend}, I broke it,\" {said} {hero}, and held out the {Num} pieces." },
{ "forgiven", "",
  "\"{hush},\" {said} {friend}. They glued the {ware} with {Drink} and flour, and it held for {Num} {ages}."
  "|{friend} was {sad}, then smiled. \"A true word is worth more than {a} {ware}.\" {treat}"
  "|\"You told me yourself,\" {said} {friend}. \"That is what counts.\" They mended the {ware} and had {Food}." },
{ "hides", "",
  "{^hero.he} hid the pieces {nook:Nook}. \"A thief took it!\" {hero.he} told {friend}."
  "|\"It was {a} {Worn}{Hue} cat,\" {hero.he} told {friend}, and put the pieces {nook:Nook}."
  "|{^hero.he} pushed the pieces {nook:Nook} and said to {friend}, \"What {ware}?\"" },
{ "found_out", "",
  "On {Weekday} {friend} looked {nook}. There lay the {hue} {ware}! {hero} turned {Blush} in the face."
  "|But {Num} {span} later the pieces turned up {nook}. {friend} lent {hero.him} nothing more."
  "|For {Num} {span} {hero} could not sleep. {then} {friend} {foundv} the pieces {nook} and was {sad}. \"It was "
    "me,\" {said} {hero}." },

/* ---- seed: waiting pays ---- */

{ "seed", "", "{open} {habit} {calm_told}\n{plants}{scene} {calm.waits}{sight}\n{calm.end}" },
{ "calm_told", "", "{subject} was {very}{calm:Calm}.|{^Num} times a day people said that {hero.he} was {calm:Calm}." },
#define PATIENT "/{waters}/{grows}"
#define HASTY "/{digs}/{withers}"
{ "Calm", "name waits end",
  "patient" PATIENT "|calm" PATIENT "|steady" PATIENT "|hasty" HASTY "|restless" HASTY "|rash" HASTY },
{ "plants", "",
  "{day}, {who} {gave} {hero.him} {a} {Hue} {seedkind}. {^hero.he} set it {place=Ground}{place.at}, {place.hide}"
    "{spot}."
  "|{day}, {hero.he} {foundv} {a} {Hue} {seedkind} {Nook} and planted it {place=Ground}{place.at}, {place.hide}"
    "{spot}."
  "|For {Food} {hero.he} got {a} {Hue} {seedkind}. {day}, {hero.he} set it in the ground {place=Ground}{place.at}, "
    "{place.hide}{spot}." },
{ "seedkind", "", "seed of {a} {plant:Plant}" },
{ "Plant", "name crop",
  "pear tree/pears|plum tree/plums|fig tree/figs|rose bush/roses|bean plant/beans|lemon tree/lemons"
  "|melon plant/melons"
  "|cherry tree/cherries|apple tree/apples|peach tree/peaches" },
{ "waters", "",
  "{^hero.he} watered it {Num} times a week, in {sky1:Sky} weather and in {sky2:Sky} weather."
  "|For {Num} {span} nothing showed. {^hero.he} sang to it, and waited."
  "|Each {Weekday} {hero.he} brought water in {a} {Worn}{Hue} {tub}. \"Take your time,\" {hero.he} {said}." },
{ "grows", "",
  "In {Month} {a} {plant} stood {spot}, with {Num} {plant.crop} on it. {treat}"
  "|After {Num} {ages} the {plant} gave {Num} {pail} of {plant.crop}, and {hero} was {glad}."
  "|\"{hooray}!\" Now everyone who comes to {place} picks {plant.crop} and thinks of {hero}." },
{ "pail", "", "baskets|sacks|carts" },
{ "digs", "",
  "After {Num} {span} {hero.he} dug it up to see if it grew. It did not, so {hero.he} dug again {a_weekday}."
  "|\"Grow!\" {hero.he} shouted at it on {Weekday}, and poured {Drink} over it."
  "|By {Weekday} {hero.he} had lost heart and forgot to water it for {Num} {span}." },
{ "a_weekday", "", "on {Weekday}|at {hour}|{Num} times" },
{ "withers", "",
  "No {plant} ever stood {spot}. {who_said}, \"Good things take time.\""
  "|In {Month} only {a} {Worn}{Hue} weed grew {spot}, and {hero} was {sad}."
  "|The seed dried up, and {hero} had to buy {plant.crop} for {Num} coins." },
{ "who_said", "", "{^who} said|{hero}'s {Elder} said" },

/* ---- post: the message must arrive as it was sent ---- */

{ "post", "", "{open} {habit} {neat_told}\n{sends}{scene} {weather} {neat.way}\n{neat.end}" },
{ "neat_told", "", "{subject} was {very}{neat:Neat}.|As a messenger {hero.he} was {neat:Neat}." },
#define RELIABLE "/{keeps_dry}/{they_meet}"
#define SLOPPY "/{gets_wet}/{they_miss}"
{ "Neat", "name way end",
  "reliable" RELIABLE "|careful" RELIABLE "|watchful" RELIABLE "|careless" SLOPPY "|lazy" SLOPPY
  "|forgetful" SLOPPY },
{ "Mail", "", "letter|note|message|card" },
{ "sends", "",
  "{day}, {one:Person}, {who}, gave {hero.him} a {mail:Mail} for {two:Person}: \"{message}\""
  "|{one:Person}, {who}, wrote to {two:Person}: \"{message}\" {hero} was to bring the {mail:Mail}."
  "|{one:Person}, {who}, missed {two:Person}. So {hero} had to carry a {mail:Mail}: \"{message}\"" },
{ "message", "",
  "Come to {place=Place}{place} on {day1:Weekday} at {time:Num}. Bring {food1:Food}."
  "|I will wait {place=Place}{place.at} on {day1:Weekday} at {time:Num}, with {food1:Food}."
  "|Meet me {place=Place}{place.at}, on {day1:Weekday} at {time:Num}. There will be {food1:Food}." },
{ "weather", "",
  "On the way it rained {Num} {rain}."
  "|After {Num} miles {a} {Wind} wind blew up, then came rain."
  "|{hero} had to wade through {a} {Worn}{Hue} brook." },
{ "rain", "", "hours|days|minutes" },
{ "keeps_dry", "",
  "{subject} kept the {mail} dry under {a} {Worn}{Hue} {wear}."
  "|But the {mail} was safe in {a} {Worn}{Hue} tin, between {Food} and {Food}."
  "|{subject} put the {mail} under {hero.his} {Hue} cap and ran." },
{ "they_meet", "",
  "On {day1} at {time} o'clock {one} and {two} met {place.at}. They {ate} {food1} and were {glad}."
  "|{two} read it {Num} times. On {day1}, {place.at}, the two friends had {food1} and sang {Num} {merry} songs."
  "|So {two} came to {place} at {time} on {day1}, and {one} {gave} {hero} {Num} coins." },
{ "gets_wet", "",
  "{subject} used the {mail} as {a} {sunshade}."
  "|The {mail} lay at the bottom of {hero.his} {Hue} bag, under {Food}, and got wet."
  "|{subject} dropped the {mail}, wiped it with {a} {Worn}{Hue} sock, and hoped for the best." },
{ "sunshade", "", "hat|boat|plate for {Food}|fan" },
{ "they_miss", "",
  "{two} could only read \"{day1}\". {one} sat {place.at} until {hour}, {sad}."
  "|The ink had run. {two} came on {wrong_day:Weekday}, but {one} had waited {place.at} on {day1}."
  "|\"{^place.at}, at {wrong_time:Num}?\" read {two}, and came too late. {one} had eaten {food1} alone." },

/* ---- seek: the one who hides, and where ---- */

{ "seek", "", "{open} {habit} {friend_told}\n{game}{scene} {hides_self} {looks}{sight} {clue}\n{turn}" },
{ "friend_told", "",
  "{^hero.his} best friend was {friend:Person}, {a} {Outer} {role2:Role}."
  "|{^hero.he} had {a} {Inner} friend, {friend:Person} the {role2:Role}." },
{ "game", "",
  "{day}, they played hide and seek {place=Place}{place.at}. {hero} counted to {Num}."
  "|{day}, they met {place=Place}{place.at}. \"You hide, I seek,\" {said} {hero}, and began to count."
  "|\"Count to {Num}!\" {said} {friend} {place=Place}{place.at} {dare_day}. {hero} shut both eyes." },
{ "hides_self", "",
  "{friend} took {a} {Worn}{Hue} {wear}, {Food} and {a_seat}, and hid {place.hide}{spot}."
  "|{friend} ran {Num} steps and crouched {place.hide}{spot}."
  "|{place.hide}{^spot} was room for one {role2}, and {friend} slipped in." },
{ "a_seat", "", "{a} {Hue} pillow|{Num} {Hue} blankets|a book" },
{ "looks", "",
  "{hero} looked {amid1:Amid} and {amid2:Amid}. There were only {Num} {pets}."
  "|{^amid1:Amid} {hero} {saw} {a} {Worn}{Hue} {shape}. It was {a} {Outer} {Role}."
  "|\"I see you!\" {said} {hero}, but it was only {a} {Worn}{Hue} {shape} {amid1:Amid}." },
{ "shape", "", "coat|sack|blanket|hat" },
{ "clue", "",
  "{then} {friend} {sneezed} {Num} times. \"{hooray}! You are {spot}!\" {said} {hero}."
  "|But {a} {Worn}{Hue} {wear} stuck out {spot}. \"{hooray}!\" {cheered} {hero}."
  "|Somebody {sneezed} {spot}. {hero} tiptoed there, and \"Boo!\" {said} {friend}." },
{ "sneezed", "", "sneezed|giggled|coughed|laughed" },
{ "turn", "",
  "Then it was {friend}'s turn to count, and {hero} hid {Num} times, but never {spot}. {treat}"
  "|They played until {hour} and {went} home, {glad}."
  "|\"Next time I hide,\" {said} {hero}, \"and not {place.at}.\" {treat}" },

/* ---- feast: what is shared, and what is not ---- */

{ "feast", "", "{open} {habit} {give_told}\n{invites}{scene} {bringing} {give.does}\n{give.end}" },
{ "give_told", "", "{subject} was {very}{give:Give}.|All said that {hero.he} was {give:Give}." },
#define OPEN_HANDED "/{serves}/{sings}"
#define STINGY "/{keeps}/{aches}"
{ "Give", "name does end",
  "generous" OPEN_HANDED "|good-hearted" OPEN_HANDED "|kind" OPEN_HANDED "|stingy" STINGY "|greedy" STINGY
  "|selfish" STINGY },
{ "Party", "", "feast|party|picnic|supper|dance" },
{ "invites", "",
  "{day}, {hero} asked {hero.his} {cousins} to a {Party} {place=Place}{place.at}."
  "|\"Come to {place=Place}{place} at {hour}, and bring something good,\" {hero.he} told everyone {dare_day}."
  "|There was to be a {Party} {place=Place}{place.at} in {Month}, and {hero} laid the {Hue} cloth." },
{ "bringing", "",
  "{one:Person} the {Role} {brought} {food1:Food}, {two:Person} {food2:Food}, and {three:Person}, {who}, "
    "{food3:Food}."
  "|First came {one:Person}, {who}, with {food1:Food}, then {two:Person} with {food2:Food} and {three:Person} with "
    "{food3:Food}."
  "|{one:Person} and {two:Person} carried {food1:Food} and {food2:Food}. {three:Person}, {a} {Inner} {Role}, "
    "{brought} {food3:Food}." },
{ "serves", "",
  "{hero} had made {food4:Food} and served it to the others first."
  "|{hero} gave {one} the best chair and {two} the biggest plate."
  "|{hero} cut it all into {Num} parts and took the smallest." },
{ "sings", "",
  "{three} played the {music}, {two} told {Num} jokes, and they danced until {hour}."
  "|{one} had never had better {drink_tea}. \"To {hero}!\" {said} {two}, and {three} sang {Num} {merry} songs."
  "|Nothing was left but {Num} crumbs, and {one}, {two} and {three} were {glad}." },
{ "drink_tea", "", "{Drink}|{Fruit} {Bake}" },
{ "keeps", "",
  "\"Look, {a} {Worn}{Hue} bear!\" {said} {hero}. They all turned round, and {hero.he} {ate} {food1} and {food2}."
  "|{hero} sat down {Nook} with all of it and ate until {hour}."
  "|While {one} and {two} laid the table, {hero} {ate} {food1}, {food2} and {food3}." },
{ "Blush", "", "red|white|pink|pale|crimson|scarlet" },
{ "aches", "",
  "{then} {hero.his} belly ached for {Num} {span}. {one} brought {Herb} tea, and {hero} said, \"Next time we share.\""
  "|{two} and {three} {went} home, {sad}. {hero} lay {Nook} with {a} belly as round as {a} {Fruit}."
  "|\"And what about {food1}?\" {asked} {one}. {hero} said nothing, turned {Blush}, and had to lie down for {Num} "
    "{span}." },
