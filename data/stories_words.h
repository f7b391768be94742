/* The words, rows of the table in stories_grammar.h: people, things, places, food, weather, creatures. */
#define SHE "/she/her/her/girl/{she_kin}"
#define HE "/he/him/his/boy/{he_kin}"
#define IT "/it/it/was/{a}/this"
#define THEY "/they/them/were/some/these"

#define GROUNDS \
  "the orchard/in the orchard/{spot=orchard_spot}|the beach/on the beach/{spot=beach_spot}" \
  "|the garden/in the garden/{spot=garden_spot}|the pond/by the pond/{spot=pond_spot}" \
  "|the forest/in the forest/{spot=forest_spot}|the meadow/in the meadow/{spot=meadow_spot}"

{ "Person", "name he him his child kin",
  "Ada" SHE "|Amy" SHE "|Anna" SHE "|Bea" SHE "|Beth" SHE "|Cleo" SHE "|Cora" SHE "|Dora" SHE "|Edda" SHE "|Ella" SHE
  "|Elsa" SHE "|Emma" SHE "|Etta" SHE "|Eva" SHE "|Fay" SHE "|Fern" SHE "|Gwen" SHE "|Hana" SHE "|Ida" SHE "|Ina" SHE
  "|Iris" SHE "|Ivy" SHE "|Jane" SHE "|Joan" SHE "|Kate" SHE "|Kim" SHE "|Lena" SHE "|Lila" SHE "|Lucy" SHE
  "|Lulu" SHE
  "|Mara" SHE "|Mia" SHE "|Mina" SHE "|Nan" SHE "|Nell" SHE "|Nina" SHE "|Nora" SHE "|Olga" SHE "|Pam" SHE "|Pia" SHE
  "|Rosa" SHE "|Ruth" SHE "|Sara" SHE "|Suki" SHE "|Tess" SHE "|Tina" SHE "|Una" SHE "|Vera" SHE "|Wanda" SHE
  "|Zoe" SHE
  "|Abe" HE "|Adam" HE "|Amos" HE "|Arlo" HE "|Ben" HE "|Bert" HE "|Bob" HE "|Boris" HE "|Bruno" HE "|Carl" HE
  "|Dan" HE "|Earl" HE "|Eli" HE "|Emil" HE "|Erik" HE "|Ezra" HE "|Felix" HE "|Finn" HE "|Gil" HE "|Gus" HE
  "|Hans" HE "|Hugo" HE "|Ian" HE "|Ivan" HE "|Jack" HE "|Jim" HE "|Joe" HE "|Jon" HE "|Karl" HE "|Ken" HE
  "|Lars" HE "|Leo" HE "|Luke" HE "|Max" HE "|Milo" HE "|Ned" HE "|Nils" HE "|Noah" HE "|Olaf" HE "|Omar" HE
  "|Otto" HE "|Owen" HE "|Paul" HE "|Pete" HE "|Rob" HE "|Sam" HE "|Seth" HE "|Ted" HE "|Tim" HE "|Tom" HE
  "|Udo" HE "|Vic" HE "|Walt" HE "|Wim" HE "|Yuri" HE "|Zeke" HE },
{ "she_kin", "", "sister|aunt|cousin|niece" },
{ "he_kin", "", "brother|uncle|cousin|nephew" },
{ "Elder", "", "aunt|uncle|granny|grandpa|mother|father" },

/* Who a person is, and what such a one brings when there is something to be built. */
{ "Role", "name gives",
  "baker/bread|miller/flour|weaver/rope|potter/clay|tailor/cloth|farmer/corn|fisher/nets|sailor/sails|smith/nails"
  "|painter/paint|gardener/beans|hatter/wool|mason/stones|cook/soup|carpenter/planks"
  "|shepherd/milk|tinker/tin|grocer/jam|badger/earth|beaver/logs|hare/grass|hedgehog/pins"
  "|mole/pebbles|otter/reeds|squirrel/nuts|toad/mud|mouse/string|rabbit/carrots|goose/feathers|bear/honey" },
{ "Outer", "",
  "tall|small|young|old|thin|plump|round|tiny|big|short|lean|neat|sturdy|slim|dusty|pale"
  "|broad|fat|strong|quick|slow|loud|bald|fair|dark|hairy|rosy|little|weary" },
{ "Inner", "",
  "merry|quiet|gentle|dreamy|polite|jolly|calm|lively|friendly|sleepy|sunny|odd|shy|curious|funny"
  "|cheerful|grumpy|loyal|clever|dull|bright|warm|silly|hungry|busy|noisy|playful" },
{ "Hue", "",
  "red|blue|green|yellow|white|black|brown|grey|pink|golden|silver|purple|orange|violet|scarlet|striped|spotted"
  "|painted"
  "|amber|crimson|rusty" },
{ "Worn", "",
  "5*|old |new |fine |plain |lovely |shiny |tiny |odd |big |small |round |long |thin |soft |warm |clean "
  "|heavy |light |pretty |ugly |cheap |dusty " },
{ "Thing", "name it them was some this",
  "kite" IT "|ball" IT "|drum" IT "|flute" IT "|hat" IT "|scarf" IT "|cup" IT "|spoon" IT "|bell" IT "|lamp" IT
  "|book" IT
  "|map" IT "|ring" IT "|doll" IT "|basket" IT "|bucket" IT "|fan" IT "|comb" IT "|brush" IT "|mirror" IT "|ribbon" IT
  "|apron" IT "|belt" IT "|jug" IT "|clock" IT "|box" IT "|plate" IT "|coat" IT "|boots" THEY "|gloves" THEY
  "|skates" THEY
  "|beads" THEY "|socks" THEY "|mittens" THEY },

/* Where; at; and a spot there, which the story keeps. Things grow on the grounds. */
{ "Ground", "name at hide", GROUNDS },
{ "Place", "name at hide",
  GROUNDS "|the harbour/at the harbour/{spot=harbour_spot}|the barn/in the barn/{spot=barn_spot}"
  "|the library/in the library/{spot=library_spot}|the station/at the station/{spot=station_spot}"
  "|the inn/at the inn/{spot=inn_spot}|the tower/in the tower/{spot=tower_spot}"
  "|the market/at the market/{spot=market_spot}|the bridge/at the bridge/{spot=bridge_spot}" },
{ "orchard_spot", "", "under a pear tree|behind the ladder|by the gate" },
{ "beach_spot", "", "behind a rock|under the pier|by the cliff" },
{ "garden_spot", "", "under the fig tree|behind the shed|among the beans" },
{ "pond_spot", "", "among the reeds|under a willow|behind the duck house" },
{ "forest_spot", "", "under an oak|behind a fallen log|among the ferns|beside a spring" },
{ "meadow_spot", "", "in the long grass|behind a haystack|under an elm|by the brook" },
{ "harbour_spot", "", "behind a coil of rope|under a boat|near the fish crates" },
{ "barn_spot", "", "in the hay|under the cart|by the ladder" },
{ "library_spot", "", "under a desk|by the globe|near the stove" },
{ "station_spot", "", "under a bench|beside the clock|by the door" },
{ "inn_spot", "", "under the long table|by the fire|beside the harp" },
{ "tower_spot", "", "on the stairs|behind the bell|under the window|by the old clock" },
{ "market_spot", "", "behind the fish stall|under a cart|beside the well" },
{ "bridge_spot", "", "on the steps|beside the lamp|behind a cart" },
{ "Nook", "",
  "under the bed|behind the clock|in the attic|in the cellar|under the stairs|behind the door|on the roof"
  "|by the stove|behind the curtain|under the table|in the bathtub|in the wardrobe|behind the sofa|in the kitchen|in "
    "the hall" },

{ "Num", "", "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve" },
{ "Fruit", "",
  "plum|pear|apple|cherry|fig|peach|lemon|melon|orange|nut|ginger|honey" },
{ "Fruits", "",
  "plums|pears|apples|cherries|figs|peaches|lemons|melons|dates|nuts|eggs|buns|beans|carrots|onions|leeks|peas" },
{ "Bake", "", "cake|pie|tart|pudding|pancake|bun|loaf|jelly" },
{ "Vessel", "", "jar|cup|bowl|pot|jug" },
{ "Drink", "",
  "honey|milk|jam|tea|soup|cider|cocoa|cream|water|juice" },
{ "Mass", "",
  "cheese|bread|butter|rice|corn|ham|salt|toast|cake" },
{ "Taste", "", "warm |sweet |fresh |soft |crisp |cold |plain |tasty " },
{ "Food", "",
  "3*{a} {Fruit} {Bake}|2*{Num} {Fruits}|2*{a} {Vessel} of {Drink}|some {Taste}{Mass}|{Num} {Taste}{Fruits}"
  "|{a} {Taste}{Fruit} {Bake}" },
{ "Herb", "",
  "mint|thyme|sage|nettle|ginger|lilac" },
{ "Month", "", "January|February|March|April|May|June|July|August|September|October|November|December" },
{ "Weekday", "", "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday" },
{ "Sky", "",
  "windy|wet|misty|sunny|mild|grey|still|bright|cool|cloudy|clear|breezy|rainy|quiet|dull|fine|damp|hazy|dark|crisp"
  "|gloomy|stormy|lovely|dim" },
{ "Part", "", "morning|evening|afternoon|noon|day" },
{ "Scent", "",
  "mint|hay|smoke|rain|salt|honey|roses|pine|bread|apples|thyme|mud|soap|tar|moss|lilac|tea|ink|wax|cake|leeks"
  "|figs" },
{ "Tree", "", "oak|elm|ash|pine|birch|willow|lime|holly" },
{ "Caller", "name cried",
  "owl/hooted|goat/bleated|robin/sang|frog/croaked|cat/purred|dog/barked"
  "|pony/neighed|rooster/crowed|cricket/chirped"
  "|goose/honked|wolf/howled|lark/sang" },
{ "How", "", "softly|loudly|twice|sadly|gladly|sweetly|all day|once|far off|in vain|three times|for joy" },
{ "Amid", "",
  "behind {a} {Tree}|on a roof|in {a} {Tree}|by a gate|near a well|on a wall|in the mist|under {a} {Tree}|in the lane"
  "|beside a ditch|in the yard" },
{ "Good", "",
  "figs|plums|pears|eggs|nuts|ham|tea|rice|milk|salt|oil|jam|corn|peas|soup|bread|beans|honey|cider|leeks|dates|wool"
  "|soap"
  "|rope|nails|paint|ink|wax|hay|lace|silk|tin|clay|string|pins|flour|cream|butter|cheese|mint|sage|thyme"
  "|buttons|paper|beads|socks|gloves|boots|hats|cups|spoons|bells|drums|maps|books|lamps|kites|fans|combs|rings"
  "|balls" },
{ "Dish", "",
  "figs|plums|pears|eggs|nuts|ham|tea|rice|milk|jam|corn|peas|soup|bread|beans|honey|cider|leeks|dates|cake|cheese"
  "|toast"
  "|buns|pie|cocoa|melon|cream|apples|carrots|onions|juice|pancakes" },
{ "Syl", "",
  "la|li|lo|da|di|do|fa|ta|ti|ra|ri|ro|ma|mi|bo|bim|bam|dum|hey|ho|tum|tra|fol|rum|dee|pom|ba|bi|na|no|pim|lum|fi|zum"
  "|ding|dong|tip|top" },
