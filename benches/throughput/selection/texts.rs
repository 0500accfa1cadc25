//! What the memories of the sets say: a third each ASCII, Latin with accents, and Chinese; 1 KiB of UTF-8 each.

use crate::text;

/// In every memory.
pub(crate) const EVERYWHERE: &str = "kiosk";
/// In one of a hundred.
pub(crate) const SELDOM: &str = "zephyr";

const BYTES: usize = 1024;

const ACCENTED: &str = "Préfère le premier train à destination de Nîmes, car celui d'après a été annulé deux fois l'été dernier, et \
    préférerait même attendre une heure à la gare plutôt que de changer à Mâcon. Prend son café sans sucre, mais avec du lait \
    d'avoine, et demande à être facturée par courriel. Ihre Schwester Märta zieht im März nach Tromsø, mit zwei Töchtern und \
    einem Flügel; die Möbelträger brauchen die Maße des Treppenhauses spätestens übermorgen. Příliš žluťoučký kůň úpěl ďábelské \
    ódy, říkává, když se jí něco nepovede, a směje se tomu ještě večer. Está alérgica a las avellanas, no a las almendras; \
    quedó en llamar al médico mañana, después de la reunión con el señor Núñez. Læser kriminalromaner fra Færøerne, låner dem \
    til naboen Åge og får dem først igen før jul. Árvíztűrő tükörfúrógép: ezt írja minden új billentyűzeten először. Żółta \
    książka leży na półce w przedpokoju, obok zdjęć z Łodzi. Päätti luopua toisesta mikroskoopista ja pitää harjoittelijan \
    vielä kesäkuuhun. Köszöni, hogy délelőtt rövid válaszokat kap, és délután hosszabbakat.";

const CHINESE: &str = "她喜欢坐清晨的第一班火车去上海，因为去年秋天晚班车取消了两次；宁愿在车站多等一个小时，也不愿意在半路换车。\
    咖啡不加糖，只加燕麦奶，收据请用邮件寄来。她的姐姐三月要搬到青岛，带着两个孩子和一架钢琴，搬家公司十号以前需要楼梯的尺寸。\
    最近在研究潮湿森林里的苔藓，从四十块样地采了标本，但对第十九号样地的数字有些怀疑，因为标签在雨里掉了。早上希望回答简短，\
    晚饭以后可以长一些。正在学习帆船，理论考试已经通过，只怕港口的实际考试。对榛子过敏，对杏仁不过敏。修车行七点开门，冬季轮胎\
    保管到四月。上次谈到预算的时候，她决定不买第二台显微镜，把学生助理再留半年。爱读冰岛的侦探小说，常常借给邻居老王，夏天以前\
    总也拿不回来。请提醒她去看牙医，还有霜冻以前要把郁金香的球根种到土里。周末如果下雨，就去博物馆看青铜器；如果天晴，就骑车去湖边。";

/// What memory `number` says. The words stand at another place in each.
pub(crate) fn of(number: usize) -> String {
    let (prose, spaced) = match number % 3 {
        0 => (text::one_kib(), true),
        1 => (ACCENTED.to_owned(), true),
        _ => (CHINESE.to_owned(), false),
    };
    let words =
        if number.is_multiple_of(100) { format!("{EVERYWHERE} {SELDOM}") } else { EVERYWHERE.to_owned() };
    let earliest = number * 7 % 250;
    let at = |(place, (_, character)): &(usize, (usize, char))| {
        *place >= earliest && (!spaced || *character == ' ')
    };
    let (_, (place, _)) = prose.char_indices().enumerate().find(at).expect("a place for the words");
    let (before, after) = prose.split_at(place);
    let mut text =
        if spaced { format!("{before} {words}{after}") } else { format!("{before}{words}{after}") };
    text.truncate(text.floor_char_boundary(BYTES));
    while text.len() < BYTES {
        text.push('.');
    }
    text
}
